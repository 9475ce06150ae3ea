using System.Collections.Concurrent;
using Pipeline.Backups.Chunks;
using Pipeline.Backups.Manifests;

namespace Pipeline.Backups.Running;

/// <summary>One destination of a run: its known chunks, the bytes sent, and its error. Thread-safe.</summary>
internal sealed class BackupTarget(BackupRepository repository, BackupManifest? parent, string? reason)
{
    private readonly ConcurrentDictionary<ChunkId, int> _known = new();
    private readonly ConcurrentBag<ChunkEntry>[] _entries =
    [
        [],
        [],
        [],
    ];
    private long _sent;
    private long _staged;
    private Exception? _error;

    public BackupRepository Repository { get; } = repository;

    /// <summary>The backup that an incremental one continues; null for a full one.</summary>
    public BackupManifest? Parent { get; } = parent;

    /// <summary>Why it is full although an incremental backup was requested.</summary>
    public string? Reason { get; } = reason;

    /// <summary>Why nothing more is sent to it; null while it works.</summary>
    public Exception? Error => Volatile.Read(ref _error);

    /// <summary>Bytes written to the staging folder.</summary>
    public long StagedBytes => Interlocked.Read(ref _staged);

    public long SentBytes => Interlocked.Read(ref _sent);

    /// <summary>Whether to look for chunks one by one instead of listing all.</summary>
    public bool Probes { get; set; }

    /// <summary>The existing backups.</summary>
    public required IReadOnlySet<string> Ids { get; init; }

    /// <summary>
    /// The id, or a similar unused one: two backups within one second may end with the same transaction.
    /// </summary>
    public string NewId(string id) =>
        Ids.Contains(id)
            ? Enumerable.Range(2, Ids.Count + 1).Select(n => $"{id}-{n}").First(i => !Ids.Contains(i))
            : id;

    public void Fail(Exception e) => Interlocked.CompareExchange(ref _error, e, null);

    /// <summary>Records a chunk that need not be sent.</summary>
    public void Know(ChunkId id, int stored) => _known.TryAdd(id, stored);

    /// <summary>Forgets chunks that do not exist.</summary>
    public void Keep(IReadOnlySet<ChunkId> there)
    {
        foreach (var id in _known.Keys.Where(k => !there.Contains(k)).ToList())
            _known.TryRemove(id, out _);
    }

    /// <summary>The length of a chunk that exists and will be kept; null if it must be sent.</summary>
    public async ValueTask<int?> FindAsync(ChunkId id, DateTimeOffset freshSince, CancellationToken ct)
    {
        if (_known.TryGetValue(id, out var stored))
            return stored;
        if (!Probes)
            return null;
        var name = ObjectNames.Chunk(id);
        await foreach (var found in Repository.Destination.ListAsync(name, ct).ConfigureAwait(false))
        {
            if (found.Name == name && found.Modified >= freshSince)
                return (int)found.Length;
        }

        return null;
    }

    /// <summary>Where chunks wait until <see cref="SendStagedAsync"/>; null to send them at once.</summary>
    public StagingArea? Staging { get; set; }

    public async Task SendAsync(ChunkId id, ReadOnlyMemory<byte> chunk, CancellationToken ct)
    {
        if (Staging is not null)
        {
            await Staging.AddAsync(id, chunk, ct).ConfigureAwait(false);
            Interlocked.Add(ref _staged, chunk.Length);
            Know(id, chunk.Length);
            return;
        }
        await Repository.Destination.PutAsync(ObjectNames.Chunk(id), chunk, ct).ConfigureAwait(false);
        Interlocked.Add(ref _sent, chunk.Length);
        Know(id, chunk.Length);
    }

    /// <summary>Sends the staged chunks, several at once; does nothing without staging.</summary>
    public async Task SendStagedAsync(int parallel, Action? sent, CancellationToken ct)
    {
        if (Staging is not { } staging)
            return;
        await Parallel
            .ForEachAsync(
                staging.Chunks,
                new ParallelOptions { MaxDegreeOfParallelism = parallel, CancellationToken = ct },
                async (id, stop) =>
                {
                    var chunk = await staging.ReadAsync(id, stop).ConfigureAwait(false);
                    await Repository.Destination.PutAsync(ObjectNames.Chunk(id), chunk, stop).ConfigureAwait(false);
                    Interlocked.Add(ref _sent, chunk.Length);
                    sent?.Invoke();
                }
            )
            .ConfigureAwait(false);
        Staging = null;
        staging.Discard();
    }

    public void Add(ChunkStream stream, ChunkEntry entry) => _entries[(int)stream].Add(entry);

    /// <summary>The chunks of a stream, in order.</summary>
    public List<ChunkEntry> Entries(ChunkStream stream) => [.. _entries[(int)stream].OrderBy(e => e.Number)];
}
