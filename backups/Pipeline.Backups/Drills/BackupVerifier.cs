using System.Globalization;
using Pipeline.Backups.Chunks;
using Pipeline.Backups.Manifests;
using Pipeline.Backups.Running;

namespace Pipeline.Backups.Drills;

/// <summary>Reads every chunk that backups need and checks that it matches its name.</summary>
public sealed class BackupVerifier(BackupRepository repository, TimeProvider? time = null)
{
    private readonly TimeProvider _time = time ?? TimeProvider.System;

    /// <summary>Verifies all backups, or one with those that it needs, and stores the results with them.</summary>
    /// <param name="backup">One backup; null for all.</param>
    /// <param name="removeDamaged">Whether to remove damaged chunks.</param>
    /// <param name="progress">Receives the progress.</param>
    /// <param name="ct">Cancels it.</param>
    public async Task<VerifyReport> VerifyAsync(
        string? backup = null,
        bool removeDamaged = false,
        IProgress<BackupProgress>? progress = null,
        CancellationToken ct = default
    )
    {
        var problems = new List<string>();
        var all = await repository.ListAsync(e => problems.Add(e.Message), ct).ConfigureAwait(false);
        var chosen = all;
        if (backup is not null)
        {
            var one =
                all.FirstOrDefault(m => m.Id == backup)
                ?? throw new BackupException(
                    $"{repository.Destination.Description}: there is no backup '{backup}' that can be read."
                );
            chosen = BackupChain.TryOf(one, all, out var chain, out _) ? chain : [one];
        }
        var total = chosen.Sum(m => m.ContentBytes);
        var verified = new Dictionary<ChunkId, string?>();
        var bytes = 0L;
        var removed = 0;
        var faults = new Dictionary<string, string>(StringComparer.Ordinal);
        foreach (var manifest in chosen)
        {
            string? fault = null;
            if (!BackupChain.TryOf(manifest, all, out var chain, out var missing))
                fault = $"it needs {missing}, which is missing";
            foreach (var lists in new[] { manifest.Pages, manifest.Log })
            {
                foreach (var name in lists)
                {
                    try
                    {
                        var entries = ChunkEntry
                            .Read(
                                await repository
                                    .ReadChunkAsync(ChunkLists.IdOf(repository, name), ct)
                                    .ConfigureAwait(false)
                            )
                            .ToList();
                        foreach (
                            var batch in entries
                                .Where(e => !verified.ContainsKey(e.Id))
                                .DistinctBy(e => e.Id)
                                .Chunk(4 * Environment.ProcessorCount)
                        )
                        {
                            foreach (
                                var (entry, problem) in await Task.WhenAll(
                                        batch.Select(e => Task.Run(() => CheckAsync(e, ct), ct))
                                    )
                                    .ConfigureAwait(false)
                            )
                            {
                                verified[entry.Id] = problem;
                                bytes += entry.Length;
                                if (problem is null || !removeDamaged)
                                    continue;
                                await repository
                                    .Destination.DeleteAsync(ObjectNames.Chunk(entry.Id), ct)
                                    .ConfigureAwait(false);
                                removed++;
                            }
                            progress?.Report(new BackupProgress("verifying", bytes, Math.Max(total, bytes), bytes));
                        }
                        fault ??= entries.Select(e => verified[e.Id]).FirstOrDefault(p => p is not null);
                    }
                    catch (ChunkDamagedException e)
                    {
                        fault ??= e.Message;
                    }
                }
            }
            // A backup is only as good as those that it needs.
            fault ??= chain.Select(c => faults.GetValueOrDefault(c.Id)).FirstOrDefault(p => p is not null);
            if (fault is not null)
            {
                faults[manifest.Id] = fault;
                problems.Add($"{manifest.Id}: {fault}");
            }
            await repository
                .PutAsync(
                    new Verification(
                        manifest.Id,
                        _time.GetUtcNow(),
                        "chunks",
                        fault is null,
                        fault ?? string.Create(CultureInfo.InvariantCulture, $"{manifest.ContentBytes} bytes")
                    ),
                    ct
                )
                .ConfigureAwait(false);
        }
        return new VerifyReport(
            repository.Destination.Description,
            chosen.Count,
            verified.Count,
            bytes,
            problems,
            removed
        );
    }

    private async Task<(ChunkEntry Entry, string? Problem)> CheckAsync(ChunkEntry entry, CancellationToken ct)
    {
        try
        {
            var content = await repository.ReadChunkAsync(entry.Id, ct).ConfigureAwait(false);
            return (
                entry,
                content.Length == entry.Length
                    ? null
                    : $"the chunk {entry.Id} has {content.Length} bytes of content, the list says {entry.Length}"
            );
        }
        catch (ChunkDamagedException e)
        {
            return (entry, e.Message);
        }
    }
}
