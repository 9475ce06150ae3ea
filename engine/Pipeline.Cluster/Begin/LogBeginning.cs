using Pipeline.Storage;

namespace Pipeline.Cluster;

/// <summary>
/// Begins a log with a store that has transactions: the log's first record names the store's next one. The store keeps
/// the place after that record. Every other store is copied from it, or is proved equal to it.
/// </summary>
/// <remarks>
/// Another store continues only if it has read the end of the previous log, and that log ended with the same chain. The
/// chain covers all accepted records, so the two stores are equal page by page.
/// </remarks>
internal static class LogBeginning
{
    private const int ReadBytes = 4096;
    private static readonly TimeSpan ReadWait = TimeSpan.FromSeconds(1);

    /// <summary>The record that a log begins with.</summary>
    /// <returns>The record; null if the log is empty, begins with transaction 1, or was trimmed.</returns>
    /// <exception cref="SharedLogException">The log cannot be read.</exception>
    public static async Task<LogRecord?> FindAsync(ISharedLog log, CancellationToken ct = default)
    {
        var bounds = await log.GetBoundsAsync(ct).ConfigureAwait(false);
        if (bounds.First > 0 || bounds.End == 0)
            return null;
        // A read may return fewer records than the log has.
        LogBatch batch;
        do batch = await log.ReadAsync(0, ReadBytes, ReadWait, ct).ConfigureAwait(false);
        while (batch.Records.Count == 0);
        return
            LogRecord.TryRead(batch.Records[0], out var record) == RecordCheck.Sound && record.Kind == RecordKind.Begin
            ? record
            : null;
    }

    /// <summary>The origin of a log that begins with a record; null without one.</summary>
    public static Chain? OriginOf(LogRecord? first) =>
        first is { } record ? BeginRules.StateAfter(record).Origin : null;

    /// <summary>
    /// Writes the first record of an empty log, and then the store's position after it. If the process crashes in
    /// between, the same call resumes.
    /// </summary>
    /// <param name="options">The store, which is not open.</param>
    /// <param name="log">The log.</param>
    /// <param name="node">The name of the node that has the store.</param>
    /// <param name="ct">Cancels the call, which can be repeated.</param>
    /// <returns>The log's first transaction.</returns>
    /// <exception cref="LogInUseException">The log has other records. Nothing was changed.</exception>
    /// <exception cref="SharedLogException">It is unknown whether the log has the record.</exception>
    /// <exception cref="StorageException">The store cannot be opened.</exception>
    public static async Task<long> WriteAsync(
        StorageOptions options,
        ISharedLog log,
        string node,
        CancellationToken ct = default
    )
    {
        var (next, position) = (NextTransaction(options), PositionOf(options));
        if (await FindAsync(log, ct).ConfigureAwait(false) is { } begun && BeginRules.IsBehind(position, begun))
            return begun.Transaction;
        var before = BeginRules.StateBefore(position, next, Guid.NewGuid());
        var bounds = await log.GetBoundsAsync(ct).ConfigureAwait(false);
        if (bounds.End == 0)
        {
            var answer = await log.AppendAsync(LogRecord.Begin(before, node).Bytes, 0, ct).ConfigureAwait(false);
            if (answer.Outcome == AppendOutcome.Unknown)
                throw new BeginningUnknownException(log.Name, answer.Cause);
        }
        if (await FindAsync(log, ct).ConfigureAwait(false) is not { } first || !BeginRules.IsOf(first, before, node))
            throw new LogInUseException(log.Name, await log.GetBoundsAsync(ct).ConfigureAwait(false));
        Keep(options, first);
        return next;
    }

    /// <summary>
    /// Lets a store that has read the end of a log continue in the log that an equal store began. Changes nothing if it
    /// may not.
    /// </summary>
    /// <param name="options">The store, which is not open.</param>
    /// <param name="first">The first record of the log.</param>
    /// <returns>Whether the store continues, now or since an earlier call.</returns>
    /// <exception cref="StorageException">The store cannot be opened.</exception>
    public static bool TryAdopt(StorageOptions options, in LogRecord first)
    {
        var position = PositionOf(options);
        if (BeginRules.IsBehind(position, first))
            return true;
        if (!BeginRules.IsEqual(position, NextTransaction(options), first))
            return false;
        Keep(options, first);
        return true;
    }

    /// <summary>
    /// Whether a store has read the end of its log, so it has every change that was acknowledged there.
    /// </summary>
    /// <param name="options">The store, which is not open.</param>
    /// <exception cref="StorageException">The store cannot be opened.</exception>
    public static bool HasReadTheEnd(StorageOptions options) =>
        BeginRules.HasReadTheEnd(PositionOf(options), NextTransaction(options));

    /// <summary>Whether a store ever followed a log, or was restored from one that did.</summary>
    /// <param name="options">The store, which is not open.</param>
    /// <exception cref="StorageException">The store cannot be opened.</exception>
    public static bool HasFollowed(StorageOptions options) =>
        PositionFile.Find(StoreFolder.FilesOf(options), options.Path!) is not null
        || BackupPosition.Find(options) is not null;

    /// <summary>The number after a store's last transaction.</summary>
    /// <param name="options">The store, which is not open.</param>
    /// <exception cref="StorageException">The store cannot be opened.</exception>
    public static long NextTransaction(StorageOptions options)
    {
        using var store = StorageEnvironment.Open(options with { IsReplica = true, KeepsLife = false });
        return store.LastCommittedTransaction + 1;
    }

    private static ReadPosition PositionOf(StorageOptions options) =>
        PositionFile.Find(StoreFolder.FilesOf(options), options.Path!) ?? ReadPosition.Start;

    private static void Keep(StorageOptions options, in LogRecord first)
    {
        using var file = PositionFile.Open(StoreFolder.FilesOf(options), options.Path!);
        file.Save(BeginRules.PositionBehind(first));
    }
}
