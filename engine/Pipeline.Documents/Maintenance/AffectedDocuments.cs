using Pipeline.Storage;

namespace Pipeline.Documents.Maintenance;

/// <summary>Which documents damaged pages of an open database are about.</summary>
/// <param name="Ids">Their ids in lower case, in order; at most as many as were asked for.</param>
/// <param name="IsComplete">
/// Whether these are all: <see langword="false"/> also where ids themselves cannot be read.
/// </param>
public sealed record AffectedDocuments(IReadOnlyList<string> Ids, bool IsComplete)
{
    /// <summary>Finds the documents whose records lie on damaged pages, by looking through all ids.</summary>
    /// <param name="snapshot">The database.</param>
    /// <param name="damaged">The pages that a scrub has found.</param>
    /// <param name="most">The largest number of ids to return.</param>
    /// <param name="ct">Stops the search.</param>
    public static AffectedDocuments Find(
        DatabaseSnapshot snapshot,
        IEnumerable<DamagedPage> damaged,
        int most,
        CancellationToken ct = default
    )
    {
        ArgumentNullException.ThrowIfNull(snapshot);
        ArgumentNullException.ThrowIfNull(damaged);
        List<DamagedPage> pages = [.. damaged];
        List<KeyRange> records =
        [
            .. pages.Where(d => d.Tree == DatabaseTrees.Documents && d.Affected is not null).Select(d => d.Affected!),
        ];
        var complete = !pages.Exists(d => d.Tree == DatabaseTrees.Ids || d.Tree.StartsWith('('));
        var ids = new List<string>();
        if (records.Count == 0)
            return new AffectedDocuments(ids, complete);
        var key = new byte[DocumentKeys.PositionBytes];
        try
        {
            foreach ((var id, var position) in snapshot.ReadIds())
            {
                ct.ThrowIfCancellationRequested();
                DocumentKeys.WritePosition(key, position);
                if (!records.Exists(r => r.Contains(key)))
                    continue;
                if (ids.Count == most)
                    return new AffectedDocuments(ids, false);
                ids.Add(id);
            }
        }
        catch (CorruptPageException)
        {
            // A page of the ids is damaged too: those behind it are not known.
            complete = false;
        }

        return new AffectedDocuments(ids, complete);
    }
}
