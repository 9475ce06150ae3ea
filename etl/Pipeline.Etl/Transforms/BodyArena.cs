namespace Pipeline.Etl.Transforms;

/// <summary>
/// Holds one batch's bodies: each body is copied after the one before, and all are released at once. Not thread-safe.
/// </summary>
/// <param name="share">The number of arenas that share the memory that is kept between batches.</param>
internal sealed class BodyArena(int share = 1)
{
    private const int ChunkBytes = 256 * 1024;
    private const int MaxKeptChunks = 64;
    private readonly int _kept = Math.Max(1, MaxKeptChunks / share);
    private readonly List<byte[]> _chunks = [];
    private int _chunk = -1;
    private int _used = ChunkBytes;

    /// <summary>Copies the bytes. The copy is valid until <see cref="Reset"/>.</summary>
    public ReadOnlyMemory<byte> Copy(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length > ChunkBytes / 4)
            return bytes.ToArray();
        if (bytes.Length > ChunkBytes - _used)
        {
            _chunk++;
            _used = 0;
            if (_chunk == _chunks.Count)
                _chunks.Add(GC.AllocateUninitializedArray<byte>(ChunkBytes));
        }

        var copy = _chunks[_chunk].AsMemory(_used, bytes.Length);
        bytes.CopyTo(copy.Span);
        _used += bytes.Length;
        return copy;
    }

    /// <summary>Releases all copies.</summary>
    public void Reset()
    {
        _chunk = -1;
        _used = ChunkBytes;
        if (_chunks.Count > _kept)
            _chunks.RemoveRange(_kept, _chunks.Count - _kept);
    }
}
