using Pipeline.Storage;

namespace Pipeline.Documents.Maintenance;

/// <summary>The result of checking a database that is not open.</summary>
/// <param name="Storage">Pages, trees, allocation, journal.</param>
/// <param name="Notes">Facts that are not damage, but worth knowing.</param>
/// <param name="Documents">Documents that were read, whole.</param>
/// <param name="Tombstones">Tombstones that were read.</param>
/// <param name="LastPosition">The highest position met.</param>
/// <param name="JournalBytes">Journal bytes that the next opening replays.</param>
/// <param name="Problems">
/// Where trees contradict each other, and the documents that damage affects. At most 1,000 are kept.
/// </param>
/// <param name="ProblemCount">How many there are.</param>
public sealed record DatabaseCheckReport(
    StorageReport Storage,
    IReadOnlyList<string> Notes,
    long Documents,
    long Tombstones,
    long LastPosition,
    long JournalBytes,
    IReadOnlyList<DatabaseProblem> Problems,
    long ProblemCount
)
{
    /// <summary>Whether nothing is wrong.</summary>
    public bool IsSound => Storage.IsSound && ProblemCount == 0;
}

/// <summary>Something in a database that contradicts something else in it, or cannot be read.</summary>
/// <param name="DocumentId">The affected document, if there is one.</param>
/// <param name="Position">The affected position, if there is one.</param>
/// <param name="Reason">The problem.</param>
public sealed record DatabaseProblem(string? DocumentId, long? Position, string Reason)
{
    /// <inheritdoc/>
    public override string ToString() =>
        (DocumentId, Position) switch
        {
            (null, null) => Reason,
            (null, _) => $"position {Position}: {Reason}",
            (_, null) => $"document '{DocumentKeys.Printable(DocumentId)}': {Reason}",
            _ => $"document '{DocumentKeys.Printable(DocumentId)}' (position {Position}): {Reason}",
        };
}

/// <summary>The data that a salvage of a database copied and lost.</summary>
/// <param name="Storage">The keys read and lost in each tree.</param>
/// <param name="Documents">Documents in the new database.</param>
/// <param name="Tombstones">Tombstones in the new database.</param>
/// <param name="LastPosition">
/// The new database's last position, at least that of the damaged one, if it can be read.
/// </param>
/// <param name="LostDocuments">Each document whose record is lost, if other traces of it remain.</param>
/// <param name="Notes">Other steps taken, and facts worth knowing.</param>
public sealed record DatabaseSalvageReport(
    SalvageReport Storage,
    long Documents,
    long Tombstones,
    long LastPosition,
    IReadOnlyList<LostDocument> LostDocuments,
    IReadOnlyList<string> Notes
)
{
    /// <summary>
    /// Whether no user data is lost: no document, state or identity. Data derived from documents was rebuilt.
    /// </summary>
    public bool IsComplete =>
        LostDocuments.Count == 0
        && !Storage.StoreProblems.Any(p => p.IsLoss)
        && Storage.UnplacedPages.Count == 0
        && Storage.UncertainPages.Count == 0
        && Storage.Trees.All(t => IsDerived(t.Name) || (t.IsNameKnown && t.Lost.Count == 0 && t.LostCount == 0));

    private static bool IsDerived(string tree) =>
        tree == DatabaseTrees.Ids
        || tree.StartsWith("collection/", StringComparison.Ordinal)
        || tree.StartsWith("tombstones/", StringComparison.Ordinal);
}

/// <summary>A document that a salvage could not copy.</summary>
/// <param name="Id">Its id, in lower case if only that form is left; null if it is lost too.</param>
/// <param name="Position">Its position; 0 if it is lost.</param>
/// <param name="Collection">Its collection; null if it is unknown.</param>
public sealed record LostDocument(string? Id, long Position, string? Collection)
{
    /// <inheritdoc/>
    public override string ToString() =>
        $"{(Id is null ? "a document whose id is lost" : $"document '{DocumentKeys.Printable(Id)}'")}{(Position > 0 ? $", position {Position}" : "")}{(Collection is null ? "" : $", collection '{Collection}'")}";
}

/// <summary>The progress of a check or salvage.</summary>
/// <param name="Stage">The current stage.</param>
/// <param name="Done">The amount of it that is done.</param>
/// <param name="Total">The total amount; 0 if it is unknown.</param>
public readonly record struct MaintenanceProgress(string Stage, long Done, long Total);
