using System.Collections.Concurrent;
using Pipeline.Backups.Chunks;
using Pipeline.Backups.Destinations;
using Pipeline.Storage;

namespace Pipeline.Backups.Running;

/// <summary>
/// A folder where the chunks of one destination wait until a backup is read. The leftovers of a failed run are deleted;
/// the next run finds the sent chunks at the destination and reads the rest again. Thread-safe.
/// </summary>
internal sealed class StagingArea
{
    private readonly ConcurrentDictionary<ChunkId, bool> _chunks = new();
    private readonly string _path;
    private readonly string _description;

    /// <summary>Begins with an empty folder.</summary>
    /// <exception cref="DestinationException">It cannot be used.</exception>
    public StagingArea(string path)
    {
        (_path, _description) = (path, $"staging folder {path}");
        try
        {
            if (Directory.Exists(path))
                Directory.Delete(path, recursive: true);
            PrivateFile.CreateFolder(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new DestinationException(_description, "clearing it", e.Message, isTransient: false, e);
        }
    }

    /// <summary>The backlog.</summary>
    public ICollection<ChunkId> Chunks => _chunks.Keys;

    /// <summary>Puts a chunk there.</summary>
    /// <exception cref="DestinationException">It cannot be written.</exception>
    public async Task AddAsync(ChunkId id, ReadOnlyMemory<byte> chunk, CancellationToken ct)
    {
        // Equal contents may come at the same time; one of them is written.
        if (!_chunks.TryAdd(id, true))
            return;
        try
        {
            var file = PrivateFile.Open(PathOf(id), FileMode.Create, FileOptions.Asynchronous);
            await using (file.ConfigureAwait(false))
                await file.WriteAsync(chunk, ct).ConfigureAwait(false);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new DestinationException(_description, $"writing {id}", e.Message, isTransient: false, e);
        }
    }

    /// <summary>A chunk that waits.</summary>
    /// <exception cref="DestinationException">It cannot be read.</exception>
    public async Task<byte[]> ReadAsync(ChunkId id, CancellationToken ct)
    {
        try
        {
            return await File.ReadAllBytesAsync(PathOf(id), ct).ConfigureAwait(false);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new DestinationException(_description, $"reading {id}", e.Message, isTransient: false, e);
        }
    }

    /// <summary>Deletes all that can be deleted; the next run deletes the rest.</summary>
    public void Discard()
    {
        try
        {
            if (Directory.Exists(_path))
                Directory.Delete(_path, recursive: true);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // The backup is what matters, and it is sent or has failed already.
            _ = e;
        }
    }

    private string PathOf(ChunkId id) => Path.Combine(_path, id.ToString());
}
