using Pipeline.Backups.Manifests;
using Pipeline.Database;
using Pipeline.Documents.Backup;
using Pipeline.Storage;

namespace Pipeline.Backups.Running;

/// <summary>Reads all pages, and the journal written while reading them.</summary>
internal static class FullContent
{
    public static async Task<BackupContent> ReadAsync(
        DocumentDatabase database,
        string hold,
        ChunkSender sender,
        IReadOnlyList<BackupTarget> targets,
        ReadThrottle throttle,
        IProgress<BackupProgress>? progress,
        bool hashes,
        CancellationToken ct
    )
    {
        var storage = database.Storage;
        // Before the first snapshot, so that the journal after it is kept until the end.
        var held = storage.HoldLog(hold);
        using var scan = new PageScan(storage, "backup");
        var total = scan.UsedPages * 8192;
        var reported = new ContentProgress(progress, total, sender, targets, throttle);
        sender.Processed = reported.Report;
        while (true)
        {
            ct.ThrowIfCancellationRequested();
            var buffer = await sender.RentAsync().ConfigureAwait(false);
            if (!scan.TryRead(buffer, out var part, out var length))
            {
                sender.Return(buffer);
                break;
            }
            sender.Send(ChunkStream.Pages, part, buffer, length);
            reported.Add(length);
            await throttle.WaitAsync(length, reported.Report, ct).ConfigureAwait(false);
        }
        var (to, end, snapshot) = (
            scan.Snapshot.LogState,
            scan.Snapshot.LogPosition,
            BackupSnapshot.Of(database, scan.Snapshot)
        );
        var (transactions, entry) =
            end.Transaction == scan.Begin.Transaction
                ? (0, null)
                : await LogContent
                    .SendAsync(
                        storage,
                        held,
                        new BackupBase(BackupPoint.Of(scan.BeginState, -1), null),
                        end,
                        sender,
                        hashes,
                        ct
                    )
                    .ConfigureAwait(false);
        await sender.CompleteAsync().ConfigureAwait(false);
        reported.Complete();
        return new BackupContent(scan.BeginState, to, end, snapshot, transactions, entry);
    }
}
