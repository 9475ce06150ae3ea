using System.Buffers;

namespace Pipeline.Server.Answers;

/// <summary>Text being written, whose bytes count as memory of a request. For one thread.</summary>
/// <param name="memory">The request's memory; null if it is not counted.</param>
internal sealed class HeldBuffer(RequestMemory? memory) : IBufferWriter<byte>
{
    private readonly ArrayBufferWriter<byte> _bytes = new(1024);

    /// <summary>The written bytes.</summary>
    public ReadOnlyMemory<byte> WrittenMemory => _bytes.WrittenMemory;

    /// <summary>The number of written bytes.</summary>
    public int WrittenCount => _bytes.WrittenCount;

    /// <summary>Discards the written bytes and reuses their memory.</summary>
    public void ResetWrittenCount() => _bytes.ResetWrittenCount();

    /// <inheritdoc/>
    public void Advance(int count) => _bytes.Advance(count);

    /// <inheritdoc/>
    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        Hold(sizeHint);
        return _bytes.GetMemory(sizeHint);
    }

    /// <inheritdoc/>
    public Span<byte> GetSpan(int sizeHint = 0)
    {
        Hold(sizeHint);
        return _bytes.GetSpan(sizeHint);
    }

    // The array doubles when it is full, or grows by the requested size.
    private void Hold(int sizeHint)
    {
        if (memory is not null && _bytes.FreeCapacity < Math.Max(sizeHint, 1))
            memory.Hold(Math.Max(sizeHint, _bytes.Capacity));
    }
}
