using System.Buffers;
using System.IO.Pipelines;
using Pipeline.Server.Errors;

namespace Pipeline.Server.Endpoints;

/// <summary>
/// The content of an attachment within the body of a bulk insert: the given number of bytes from the current place. For
/// one thread; leaves the body open.
/// </summary>
internal sealed class BulkInsertContent(PipeReader body, long length) : Stream
{
    /// <summary>Bytes not yet read.</summary>
    public long Left { get; private set; } = length;

    /// <inheritdoc/>
    public override bool CanRead => true;

    /// <inheritdoc/>
    public override bool CanSeek => false;

    /// <inheritdoc/>
    public override bool CanWrite => false;

    /// <inheritdoc/>
    public override long Length { get; } = length;

    /// <inheritdoc/>
    public override long Position
    {
        get => Length - Left;
        set => throw new NotSupportedException();
    }

    /// <inheritdoc/>
    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        if (Left == 0 || buffer.Length == 0)
            return 0;
        var read = await body.ReadAsync(cancellationToken).ConfigureAwait(false);
        if (read.Buffer.IsEmpty)
            throw new BadRequestException($"the content of an attachment ends {Left} bytes early");
        var some = read.Buffer.Slice(0, Math.Min(Math.Min(Left, buffer.Length), read.Buffer.Length));
        some.CopyTo(buffer.Span);
        var count = (int)some.Length;
        body.AdvanceTo(some.End);
        Left -= count;
        return count;
    }

    /// <inheritdoc/>
    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    /// <inheritdoc/>
    public override int Read(byte[] buffer, int offset, int count) =>
        throw new NotSupportedException("a body is read asynchronously");

    /// <inheritdoc/>
    public override void Flush() { }

    /// <inheritdoc/>
    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    /// <inheritdoc/>
    public override void SetLength(long value) => throw new NotSupportedException();

    /// <inheritdoc/>
    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
}
