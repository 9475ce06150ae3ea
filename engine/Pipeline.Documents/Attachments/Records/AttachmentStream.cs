using Pipeline.Storage;

namespace Pipeline.Documents;

/// <summary>Reads a content part by part out of a transaction, which must stay open. For one thread.</summary>
internal sealed class AttachmentStream(Transaction transaction, Tree? parts, string database, long number, long size)
    : Stream
{
    private long _position;
    private bool _closed;

    public override bool CanRead => !_closed;

    public override bool CanSeek => !_closed;

    public override bool CanWrite => false;

    public override long Length => size;

    public override long Position
    {
        get => _position;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            _position = value;
        }
    }

    public override int Read(Span<byte> buffer)
    {
        ObjectDisposedException.ThrowIf(_closed, this);
        if (_position >= size || buffer.IsEmpty)
            return 0;
        int part = (int)(_position / AttachmentContents.PartBytes),
            at = (int)(_position % AttachmentContents.PartBytes);
        Span<byte> key = stackalloc byte[AttachmentKeys.PartBytes];
        AttachmentKeys.WritePart(key, number, part);
        if (
            parts is null
            || !parts.TryGet(key, out var bytes)
            || bytes.Length != Math.Min(size - (long)part * AttachmentContents.PartBytes, AttachmentContents.PartBytes)
        )
        {
            throw new DatabaseCorruptException(
                database,
                $"part {part} of the attachments' content {number} is missing or cut short"
            );
        }

        bytes = bytes[at..];
        if (bytes.Length > buffer.Length)
            bytes = bytes[..buffer.Length];
        bytes.CopyTo(buffer);
        _position += bytes.Length;

        // Decrypted pages are the transaction's until it forgets them: no more than one part stays in memory.
        if (_position % AttachmentContents.PartBytes == 0 && transaction is ReadTransaction read)
            read.ForgetPages();
        return bytes.Length;
    }

    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled<int>(cancellationToken)
            : new ValueTask<int>(Read(buffer.Span));

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override long Seek(long offset, SeekOrigin origin) =>
        Position =
            offset
            + origin switch
            {
                SeekOrigin.Begin => 0,
                SeekOrigin.Current => _position,
                _ => size,
            };

    public override void Flush() { }

    public override void SetLength(long value) =>
        throw new NotSupportedException("An attachment is read-only; put a new content in its place.");

    public override void Write(byte[] buffer, int offset, int count) =>
        throw new NotSupportedException("An attachment is read-only; put a new content in its place.");

    protected override void Dispose(bool disposing)
    {
        _closed = true;
        base.Dispose(disposing);
    }
}
