using Pipeline.Backups.Chunks;
using Pipeline.Backups.Manifests;
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
        BackupPoint parent,
        ChunkSender sender,
        IProgress<BackupProgress>? progress,
        CancellationToken ct
    )
    {
        LogState to;
        LogPosition end;
        BackupSnapshot snapshot;
        using (var reader = database.Storage.BeginRead("backup"))
            (to, end, snapshot) = (reader.LogState, reader.LogPosition, BackupSnapshot.Of(database, reader));
        var transactions = await SendAsync(database.Storage, held, parent.Transaction, parent.Chain, end, sender, ct)
            .ConfigureAwait(false);
        await sender.CompleteAsync().ConfigureAwait(false);
        progress?.Report(new BackupProgress("backing up", sender.DoneBytes, sender.DoneBytes, sender.DoneBytes));
        var from = new LogState(
            parent.Transaction,
            parent.Chain,
            0,
            0,
            0,
            parent.Time.UtcTicks,
            Math.Max(0, parent.Position)
        );
        return new BackupContent(from, to, end, snapshot, transactions);
    }

    /// <summary>Sends the transactions after one, whose checksum must match, up to another.</summary>
    public static Task<long> SendAsync(
        StorageEnvironment storage,
        LogPosition held,
        long after,
        uint chain,
        LogPosition end,
        ChunkSender sender,
        CancellationToken ct
    ) =>
        Task.Run(
            () =>
            {
                var number = 0L;
                var stream = new LogStream(
                    sender.Rent,
                    (buffer, length) => sender.Send(ChunkStream.Log, number++, buffer, length)
                );
                if (held.Transaction == after && held.Chain != chain)
                    throw Forked(after);
                storage.ReadLog(
                    held,
                    end,
                    (state, count, records) =>
                    {
                        if (state.Transaction > after)
                            stream.Write(state, count, records);
                        else if (state.Transaction == after && state.Chain != chain)
                            throw Forked(after);
                    },
                    ct
                );
                stream.Flush();
                return stream.Transactions;
            },
            ct
        );

    private static BackupException Forked(long transaction) =>
        new(
            $"the database's transaction {transaction} is another one than in the backup before: its files were replaced by others. Run a full backup."
        );
}
