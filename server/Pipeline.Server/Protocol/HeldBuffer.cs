using System.Buffers;
using Pipeline.Server.Hosting;

namespace Pipeline.Server.Protocol;

/// <summary>Text that is being written, whose bytes count as memory of a request. For one thread.</summary>
/// <param name="memory">The request's memory; null where nobody counts.</param>
internal sealed class HeldBuffer(RequestMemory? memory) : IBufferWriter<byte>
{
    private readonly ArrayBufferWriter<byte> _bytes = new(1024);

    /// <summary>What was written.</summary>
    public ReadOnlyMemory<byte> WrittenMemory => _bytes.WrittenMemory;

    /// <summary>How much was written.</summary>
    public int WrittenCount => _bytes.WrittenCount;

    /// <summary>Forgets what was written; its memory is used again.</summary>
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

    // The array doubles when it is full, or grows by what is asked for.
    private void Hold(int sizeHint)
    {
        if (memory is not null && _bytes.FreeCapacity < Math.Max(sizeHint, 1))
            memory.Hold(Math.Max(sizeHint, _bytes.Capacity));
    }
}
