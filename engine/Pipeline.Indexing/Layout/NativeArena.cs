using System.Runtime.InteropServices;

namespace Pipeline.Indexing;

/// <summary>
/// Memory that is allocated in pieces and freed all at once. Pieces never move, so that pointers into it stay valid
/// until it is disposed.
/// </summary>
/// <remarks>Not thread-safe. The finalizer frees the memory of a forgotten arena.</remarks>
internal sealed unsafe class NativeArena : IDisposable
{
    private const int FirstBlock = 64 << 10;
    private const int MaxBlock = 1 << 20;
    private readonly List<nint> _blocks = [];
    private byte* _at;
    private byte* _end;
    private int _next = FirstBlock;

    ~NativeArena() => Free();

    /// <summary>All bytes taken from the system.</summary>
    public long Bytes { get; private set; }

    /// <summary>Bytes given out, including unused ends of blocks.</summary>
    public long Used => Bytes - Left;

    /// <summary>
    /// Returns the bytes that the next blocks take from the system if pieces of this total size are requested.
    /// </summary>
    public long GrowthFor(long size)
    {
        var (bytes, block) = (0L, _next);
        for (; Left + bytes < size; block = Math.Min(block * 2, MaxBlock))
            bytes += block;
        return bytes;
    }

    private long Left => _end - _at;

    /// <summary>A piece of memory, not cleared, aligned to no more than a byte.</summary>
    public byte* Take(int size)
    {
        if (size > _end - _at)
            return TakeFromNewBlock(size);
        var piece = _at;
        _at += size;
        return piece;
    }

    /// <summary>A piece of memory at a multiple of eight.</summary>
    public byte* TakeAligned(int size)
    {
        var gap = (int)(-(long)_at & 7);
        if (size + gap > _end - _at)
            return TakeFromNewBlock(size);
        var piece = _at + gap;
        _at = piece + size;
        return piece;
    }

    /// <summary>A copy of the bytes.</summary>
    public byte* Copy(ReadOnlySpan<byte> bytes)
    {
        var piece = Take(bytes.Length);
        bytes.CopyTo(new Span<byte>(piece, bytes.Length));
        return piece;
    }

    public void Dispose()
    {
        Free();
        GC.SuppressFinalize(this);
    }

    private byte* TakeFromNewBlock(int size)
    {
        var block = Math.Max(size, _next);
        var start = (byte*)NativeMemory.Alloc((nuint)block);
        _blocks.Add((nint)start);
        Bytes += block;
        // A piece that fills a new block leaves the rest of the current block in use.
        if (size < block)
        {
            _at = start + size;
            _end = start + block;
            _next = Math.Min(_next * 2, MaxBlock);
        }

        return start;
    }

    private void Free()
    {
        foreach (var block in _blocks)
            NativeMemory.Free((void*)block);
        _blocks.Clear();
        _at = _end = null;
        Bytes = 0;
    }
}
