using Pipeline.Backups.Chunks;
using Pipeline.Database;
using Pipeline.Documents.Backup;
using Pipeline.Storage;

namespace Pipeline.Backups.Running;

/// <summary>Reads the journal after a backup.</summary>
internal static class LogContent
{
    public static async Task<BackupContent> ReadAsync(
        DocumentDatabase database,
        LogPosition held,
        BackupBase parent,
        ChunkSender sender,
        IProgress<BackupProgress>? progress,
        CancellationToken ct
    )
    {
        var (begin, hashes) = (parent.Point, parent.Entry is not null);
        LogState to;
        LogPosition end;
        BackupSnapshot snapshot;
        // How much will be sent is known only at the end.
        sender.Processed = () =>
            progress?.Report(new BackupProgress("backing up", sender.DoneBytes, 0, sender.DoneBytes));
        using (var reader = database.Storage.BeginRead("backup"))
            (to, end, snapshot) = (reader.LogState, reader.LogPosition, BackupSnapshot.Of(database, reader));
        var (transactions, entry) = await SendAsync(database.Storage, held, parent, end, sender, hashes, ct)
            .ConfigureAwait(false);
        await sender.CompleteAsync().ConfigureAwait(false);
        progress?.Report(new BackupProgress("backing up", sender.DoneBytes, sender.DoneBytes, sender.DoneBytes));
        var from = new LogState(
            begin.Transaction,
            begin.Chain,
            0,
            0,
            0,
            begin.Time.UtcTicks,
            Math.Max(0, begin.Position)
        );
        return new BackupContent(from, to, end, snapshot, transactions, entry);
    }

    /// <summary>Sends the transactions after one, which must be the same one, up to another.</summary>
    /// <param name="storage">The store.</param>
    /// <param name="held">Where to begin to read.</param>
    /// <param name="after">The transaction.</param>
    /// <param name="end">The last transaction to send.</param>
    /// <param name="sender">Sends the chunks.</param>
    /// <param name="hashes">Whether to compute the hash of the last transaction.</param>
    /// <param name="ct">Cancels it.</param>
    /// <returns>How many were sent, and the hash of the last one.</returns>
    public static Task<(long Transactions, string? Entry)> SendAsync(
        StorageEnvironment storage,
        LogPosition held,
        BackupBase after,
        LogPosition end,
        ChunkSender sender,
        bool hashes,
        CancellationToken ct
    ) =>
        Task.Run(
            () =>
            {
                var number = 0L;
                string? last = null;
                var (point, entry) = after;
                var stream = new LogStream(
                    sender.Rent,
                    (buffer, length) => sender.Send(ChunkStream.Log, number++, buffer, length)
                );
                if (entry is null && held.Transaction == point.Transaction && held.Chain != point.Chain)
                    throw Forked(point.Transaction);
                storage.ReadLog(
                    held,
                    end,
                    (state, count, records) =>
                    {
                        if (state.Transaction > point.Transaction)
                            stream.Write(state, count, records);
                        else if (state.Transaction == point.Transaction && !IsSame(state, count, records))
                            throw Forked(point.Transaction);
                        if (hashes && state.Transaction == end.Transaction)
                            last = EntryHash.Of(state, count, records);
                    },
                    ct
                );
                stream.Flush();
                return (stream.Transactions, last);

                bool IsSame(LogState state, int count, ReadOnlySpan<byte> records) =>
                    entry is null ? state.Chain == point.Chain : EntryHash.Of(state, count, records) == entry;
            },
            ct
        );

    private static BackupException Forked(long transaction) =>
        new(
            $"the database's transaction {transaction} is another one than in the backup before: its files were replaced by others. Run a full backup."
        );
}
