using Pipeline.Backups.Chunks;
using Pipeline.Backups.Manifests;
using Pipeline.Backups.Retention;

namespace Pipeline.Backups.Running;

/// <summary>
/// Removes backups that a policy does not keep: first manifests (increments before the backups they need), then chunks
/// that no manifest refers to. It can be interrupted at any point.
/// </summary>
/// <param name="Removed">Backups that were removed.</param>
/// <param name="Chunks">Chunks that were removed.</param>
public sealed record RetentionSweep(IReadOnlyList<string> Removed, int Chunks)
{
    /// <summary>Runs the sweep.</summary>
    /// <param name="repository">The repository.</param>
    /// <param name="policy">The rules.</param>
    /// <param name="now">The current time.</param>
    /// <param name="grace">Younger chunks are kept: they may belong to a backup in progress.</param>
    /// <param name="zone">The zone in which days begin.</param>
    /// <param name="ct">Cancels it.</param>
    /// <exception cref="BackupException">
    /// A manifest, or a chunk list of a kept backup, cannot be read. Then no chunks are removed, since some needed ones
    /// are unknown.
    /// </exception>
    public static async Task<RetentionSweep> RunAsync(
        BackupRepository repository,
        RetentionPolicy policy,
        DateTimeOffset now,
        TimeSpan grace,
        TimeZoneInfo zone,
        CancellationToken ct
    )
    {
        ArgumentNullException.ThrowIfNull(repository);
        var damaged = new List<ManifestDamagedException>();
        var all = await repository.ListAsync(damaged.Add, ct).ConfigureAwait(false);
        var removed = RetentionPlan
            .Create(all, policy, now, zone)
            .Removed.OrderByDescending(b => b.To.Transaction)
            .ThenBy(b => b.Kind == BackupKind.Full)
            .Select(b => b.Id)
            .ToList();
        foreach (var id in removed)
        {
            await repository.Destination.DeleteAsync(ObjectNames.Manifest(id), ct).ConfigureAwait(false);
            await repository.Destination.DeleteAsync(ObjectNames.Verification(id), ct).ConfigureAwait(false);
        }
        if (damaged.Count > 0)
            throw new BackupException($"no chunk was removed: {damaged[0].Message}", damaged[0]);
        return new RetentionSweep(
            removed,
            removed.Count == 0
                ? 0
                : await SweepAsync(repository, [.. all.Where(b => !removed.Contains(b.Id))], now - grace, ct)
                    .ConfigureAwait(false)
        );
    }

    private static async Task<int> SweepAsync(
        BackupRepository repository,
        IReadOnlyList<BackupManifest> kept,
        DateTimeOffset before,
        CancellationToken ct
    )
    {
        var needed = new HashSet<ChunkId>();
        foreach (var lists in kept.SelectMany(b => new[] { b.Pages, b.Log }))
        {
            foreach (var name in lists)
                needed.Add(ChunkLists.IdOf(repository, name));
            foreach (var entry in await ChunkLists.ReadAsync(repository, lists, ct).ConfigureAwait(false))
                needed.Add(entry.Id);
        }
        var count = 0;
        await foreach (var found in repository.Destination.ListAsync(ObjectNames.Chunks, ct).ConfigureAwait(false))
        {
            if (ObjectNames.ChunkOf(found.Name) is not { } id || needed.Contains(id) || found.Modified >= before)
                continue;
            await repository.Destination.DeleteAsync(found.Name, ct).ConfigureAwait(false);
            count++;
        }
        return count;
    }
}
