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
