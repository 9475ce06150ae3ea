using Pipeline.Backups.Chunks;
using Pipeline.Backups.Destinations;
using Pipeline.Backups.Manifests;

namespace Pipeline.Backups.Retention;

/// <summary>Removes what a policy does not let stay: manifests first, increments before what they need, then chunks that no manifest leads to. Can be broken off anywhere.</summary>
/// <param name="Removed">Backups that were removed.</param>
/// <param name="Chunks">Chunks that were removed.</param>
public sealed record RetentionSweep(IReadOnlyList<string> Removed, int Chunks)
{
    /// <summary>Does it.</summary>
    /// <param name="repository">Where.</param>
    /// <param name="policy">The rules.</param>
    /// <param name="now">The moment.</param>
    /// <param name="grace">Chunks that are younger stay: they may be a backup's that is being made.</param>
    /// <param name="zone">The zone in which days begin.</param>
    /// <param name="ct">Stops it.</param>
    /// <exception cref="BackupException">A manifest or a list of one that stays cannot be read: nothing more is removed, since what it needs is not known.</exception>
    public static async Task<RetentionSweep> RunAsync(BackupRepository repository, RetentionPolicy policy, DateTimeOffset now, TimeSpan grace, TimeZoneInfo zone, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(repository);
        var damaged = new List<ManifestDamagedException>();
        var all = await repository.ListAsync(damaged.Add, ct).ConfigureAwait(false);
        var removed = RetentionPlan.Create(all, policy, now, zone).Removed.OrderByDescending(b => b.To.Transaction).ThenBy(b => b.Kind == BackupKind.Full).Select(b => b.Id).ToList();
        foreach (var id in removed)
        {
            await repository.Destination.DeleteAsync(ObjectNames.Manifest(id), ct).ConfigureAwait(false);
            await repository.Destination.DeleteAsync(ObjectNames.Verification(id), ct).ConfigureAwait(false);
        }
        if (damaged.Count > 0)
            throw new BackupException($"no chunk was removed: {damaged[0].Message}", damaged[0]);
        return new RetentionSweep(removed, removed.Count == 0 ? 0 : await SweepAsync(repository, [.. all.Where(b => !removed.Contains(b.Id))], now - grace, ct).ConfigureAwait(false));
    }

    private static async Task<int> SweepAsync(BackupRepository repository, IReadOnlyList<BackupManifest> kept, DateTimeOffset before, CancellationToken ct)
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
