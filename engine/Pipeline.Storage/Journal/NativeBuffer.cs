using System.Runtime.InteropServices;

namespace Pipeline.Storage;

/// <summary>A growing buffer in native memory, aligned to the journal's blocks. Not thread-safe.</summary>
internal sealed unsafe class NativeBuffer : IDisposable
{
    private byte* _start;
    private long _capacity;

    /// <summary>The first byte.</summary>
    public byte* Start => _start;

    /// <summary>Bytes used.</summary>
    public long Length { get; set; }

    /// <summary>Makes room for so many more bytes behind those used and returns where they go.</summary>
    public byte* Ensure(long bytes)
    {
        if (Length + bytes > _capacity)
        {
            _capacity = JournalLayout.Align(Math.Max(Length + bytes, _capacity * 2));
            _start = (byte*)NativeMemory.AlignedRealloc(_start, (nuint)_capacity, JournalLayout.Block);
        }
        return _start + Length;
    }

    /// <summary>Gives memory back where a single large transaction had needed it.</summary>
    public void Trim(long keptBytes)
    {
        if (_capacity > keptBytes)
            Dispose();
    }

    public void Dispose()
    {
        NativeMemory.AlignedFree(_start);
        _start = null;
        _capacity = Length = 0;
    }
}
