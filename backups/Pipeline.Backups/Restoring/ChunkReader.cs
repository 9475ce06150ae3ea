using Pipeline.Backups.Chunks;
using Pipeline.Backups.Manifests;

namespace Pipeline.Backups.Restoring;

/// <summary>Fetches several chunks ahead and returns their contents in order.</summary>
internal sealed class ChunkReader(BackupRepository repository, int ahead)
{
    /// <summary>Bytes of contents read so far.</summary>
    public long Bytes { get; private set; }

    /// <summary>The content of each chunk, in order. The enumeration may stop early.</summary>
    public async IAsyncEnumerable<(ChunkEntry Entry, byte[] Content)> ReadAsync(
        IReadOnlyList<ChunkEntry> entries,
        [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken ct
    )
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(ct);
        var waiting = new Queue<Task<byte[]>>();
        try
        {
            for (var (next, given) = (0, 0); given < entries.Count; given++)
            {
                for (; next < entries.Count && waiting.Count < ahead; next++)
                {
                    var entry = entries[next];
                    waiting.Enqueue(
                        Task.Run(() => repository.ReadChunkAsync(entry.Id, stop.Token), CancellationToken.None)
                    );
                }
                var content = await waiting.Dequeue().ConfigureAwait(false);
                if (content.Length != entries[given].Length)
                {
                    throw new ChunkDamagedException(
                        repository.Destination.Description,
                        entries[given].Id,
                        $"has {content.Length} bytes of content, and the backup's list says {entries[given].Length}"
                    );
                }

                Bytes += content.Length;
                yield return (entries[given], content);
            }
        }
        finally
        {
            await stop.CancelAsync().ConfigureAwait(false);
            foreach (var task in waiting)
                await ((Task)task).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }
}
