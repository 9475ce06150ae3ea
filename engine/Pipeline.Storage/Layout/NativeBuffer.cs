using System.Runtime.InteropServices;

namespace Pipeline.Storage;

/// <summary>
/// A growing buffer in native memory, aligned to the journal's blocks. It can wipe memory before freeing it. Not
/// thread-safe.
/// </summary>
internal sealed unsafe class NativeBuffer(bool wipe = false) : IDisposable
{
    private byte* _start;
    private long _capacity;

    /// <summary>The first byte.</summary>
    public byte* Start => _start;

    /// <summary>Bytes used.</summary>
    public long Length { get; set; }

    /// <summary>Reserves this many bytes behind the used ones and returns their address.</summary>
    public byte* Ensure(long bytes)
    {
        if (Length + bytes > _capacity)
        {
            StepHook.At(StorageStep.BufferGrowth);
            var capacity = JournalLayout.Align(Math.Max(Length + bytes, _capacity * 2));
            _start = wipe
                ? Move(_start, _capacity, Length, capacity)
                : (byte*)NativeMemory.AlignedRealloc(_start, (nuint)capacity, JournalLayout.Block);
            _capacity = capacity; // Set last: if the allocation fails, the buffer is unchanged.
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
        if (wipe && _start != null)
            PlainPage.Wipe(_start, _capacity);
        NativeMemory.AlignedFree(_start);
        _start = null;
        _capacity = Length = 0;
    }

    private static byte* Move(byte* from, long capacity, long used, long newCapacity)
    {
        var to = (byte*)NativeMemory.AlignedAlloc((nuint)newCapacity, JournalLayout.Block);
        if (from != null)
        {
            NativeMemory.Copy(from, to, (nuint)used);
            PlainPage.Wipe(from, capacity);
            NativeMemory.AlignedFree(from);
        }
        return to;
    }
}
