using Pipeline.Subscriptions;

namespace Pipeline.Etl.Replays;

/// <summary>
/// Reads the changes of a replay from a snapshot. If a document has changed since, only the newer change is returned.
/// </summary>
internal static class ReplayReader
{
    /// <summary>Adds the next changes.</summary>
    /// <param name="snapshot">The state to read.</param>
    /// <param name="job">The replay.</param>
    /// <param name="after">The position to begin after.</param>
    /// <param name="filter">Which changes the task takes.</param>
    /// <param name="maxChanges">The maximum number of changes to add.</param>
    /// <param name="maxBytes">Bytes of documents after which no more are added.</param>
    /// <param name="changes">Receives the changes.</param>
    /// <returns>Everything up to this position is added or does not match.</returns>
    public static long Read(
        IFeedSnapshot snapshot,
        ReplayJob job,
        long after,
        CursorFilter filter,
        int maxChanges,
        long maxBytes,
        List<FeedChange> changes
    )
    {
        if (job.Positions is { } chosen)
            return ReadChosen(snapshot, chosen, after, job.Through, filter, maxChanges, maxBytes, changes);
        var through = snapshot.ReadChanges(after, filter, maxChanges, maxBytes, changes);
        var beyond = changes.FindIndex(c => c.Position > job.Through);
        if (beyond >= 0)
            changes.RemoveRange(beyond, changes.Count - beyond);
        return Math.Min(through, job.Through);
    }

    private static long ReadChosen(
        IFeedSnapshot snapshot,
        long[] chosen,
        long after,
        long through,
        CursorFilter filter,
        int maxChanges,
        long maxBytes,
        List<FeedChange> changes
    )
    {
        var next = Array.BinarySearch(chosen, after + 1);
        if (next < 0)
            next = ~next;
        long bytes = 0;
        var one = new List<FeedChange>(1);
        for (; next < chosen.Length && changes.Count < maxChanges && bytes < maxBytes; next++)
        {
            if (chosen[next] > through)
                break;
            one.Clear();
            snapshot.ReadChanges(chosen[next] - 1, filter, 1, 1, one);
            after = chosen[next];
            if (one.Count == 0 || one[0].Position != after)
                continue;
            changes.Add(one[0]);
            bytes += one[0].Bytes;
        }

        return next >= chosen.Length || chosen[next] > through ? through : after;
    }
}
