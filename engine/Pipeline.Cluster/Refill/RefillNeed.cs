using Pipeline.Storage;

namespace Pipeline.Cluster;

/// <summary>Whether a node must be refilled from a peer before it can follow its log.</summary>
internal enum RefillNeed
{
    /// <summary>It can follow.</summary>
    None,

    /// <summary>
    /// There is no store, and the log begins with the first transaction: the node can read all of it, or be refilled.
    /// </summary>
    Possible,

    /// <summary>There is no store, or an empty one, and the log does not begin with the first transaction.</summary>
    NoStore,

    /// <summary>A refill or a restore was interrupted.</summary>
    Unfinished,

    /// <summary>The log was trimmed past the place where the node would continue.</summary>
    BehindTrim,
}

/// <summary>Examines a node's folder before its store is opened.</summary>
internal static class Refills
{
    /// <summary>
    /// Finds whether a node must be refilled. A store that has read the end of the previous log continues in this one,
    /// if an equal store began it.
    /// </summary>
    /// <param name="options">The node's store, which is not open.</param>
    /// <param name="log">The log.</param>
    /// <param name="ct">Cancels the call.</param>
    public static async Task<RefillNeed> FindNeedAsync(
        StorageOptions options,
        ISharedLog log,
        CancellationToken ct = default
    )
    {
        var (files, path) = (StoreFolder.FilesOf(options), options.Path!);
        var bounds = await log.GetBoundsAsync(ct).ConfigureAwait(false);
        var begins = await LogBeginning.FindAsync(log, ct).ConfigureAwait(false);
        if (!files.Exists(Path.Combine(path, StoreFolder.DataName)))
        {
            if (files.Exists(Path.Combine(path, StoreFolder.DataName + StoreOpener.UnfinishedSuffix)))
                return RefillNeed.Unfinished;
            return bounds.First > 0 || begins is not null ? RefillNeed.NoStore : RefillNeed.Possible;
        }

        if (begins is { } first && !LogBeginning.TryAdopt(options, first) && LogBeginning.NextTransaction(options) == 1)
        {
            return RefillNeed.NoStore;
        }
        var place = PositionFile.Find(files, path)?.Place ?? 0;
        // The node also reads the record before the place, to check that the log still has it.
        return Math.Max(0, place - 1) < bounds.First ? RefillNeed.BehindTrim : RefillNeed.None;
    }
}
