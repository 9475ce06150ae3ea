using Pipeline.Backups.Chunks;
using Pipeline.Backups.Destinations;
using Pipeline.Backups.Manifests;

namespace Pipeline.Backups.Running;

/// <content>What a destination has already, and where its chunks are staged.</content>
public sealed partial class BackupRunner
{
    private async Task AddTargetAsync(
        List<BackupTarget> targets,
        List<DestinationReport> reports,
        BackupRepository repository,
        BackupKind kind,
        string? run,
        CancellationToken ct
    )
    {
        try
        {
            var all = await repository
                .ListAsync(e => BackupLog.ManifestDamaged(_logger, Definition.Name, e), ct)
                .ConfigureAwait(false);
            if (run is not null && all.LastOrDefault(m => m.Run == run) is { } made)
            {
                reports.Add(Repeated(repository.Destination.Description, run, made));
                return;
            }
            var (parent, reason) =
                kind == BackupKind.Full ? (null, "")
                : _options.IsShared ? await FindSharedParentAsync(all, ct).ConfigureAwait(false)
                : FindParent(repository, all);
            var target = new BackupTarget(repository, parent, parent is null && kind != BackupKind.Full ? reason : null)
            {
                Staging = Definition.StagingFolder is { } staging
                    ? new StagingArea(StagingPath(staging, repository.Destination))
                    : null,
                Probes = parent is not null,
                Ids = all.Select(m => m.Id).ToHashSet(StringComparer.Ordinal),
            };
            if (target.Reason is not null)
                BackupLog.MadeFull(_logger, Definition.Name, repository.Destination.Description, reason);
            if (parent is null)
                await FindChunksAsync(target, all, _options.Time.GetUtcNow() - (Grace / 2), ct).ConfigureAwait(false);
            targets.Add(target);
        }
        catch (BackupException e)
        {
            reports.Add(new DestinationReport(repository.Destination.Description, null, e));
        }
    }

    private static async Task FindChunksAsync(
        BackupTarget target,
        IReadOnlyList<BackupManifest> all,
        DateTimeOffset freshSince,
        CancellationToken ct
    )
    {
        // The chunks that the newest full backup needs cannot be about to be removed.
        if (all.LastOrDefault(m => m.Kind == BackupKind.Full) is { } newest)
        {
            try
            {
                foreach (
                    var entry in await ChunkLists.ReadAsync(target.Repository, newest.Pages, ct).ConfigureAwait(false)
                )
                {
                    target.Know(entry.Id, entry.Stored);
                }
            }
            catch (ChunkDamagedException)
            {
                // Then its chunks are unknown, and all are sent again.
                _ = newest;
            }
        }
        var there = new HashSet<ChunkId>();
        await foreach (
            var found in target.Repository.Destination.ListAsync(ObjectNames.Chunks, ct).ConfigureAwait(false)
        )
        {
            if (ObjectNames.ChunkOf(found.Name) is not { } id)
                continue;
            there.Add(id);
            if (found.Modified >= freshSince)
                target.Know(id, (int)found.Length);
        }
        target.Keep(there);
    }

    /// <summary>
    /// The staging folder of a destination. Each needs one, because a chunk may exist at one destination and be missing
    /// at another.
    /// </summary>
    private string StagingPath(string folder, IBackupDestination destination) =>
        Path.Combine(
            folder,
            Definition.Name,
            Convert.ToHexStringLower(
                System
                    .Security.Cryptography.SHA256.HashData(System.Text.Encoding.UTF8.GetBytes(destination.Description))
                    .AsSpan(0, 8)
            )
        );
}
