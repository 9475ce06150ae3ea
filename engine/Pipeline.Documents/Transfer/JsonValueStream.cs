using System.Buffers;

namespace Pipeline.Documents.Transfer;

/// <summary>
/// Reads a stream of JSON value by value, as bytes. So its size does not matter, and bytes between values that are not
/// JSON can be skipped. Not thread-safe.
/// </summary>
internal sealed class JsonValueStream(Stream stream, int maxValueBytes)
{
    private readonly byte[] _buffer = new byte[128 * 1024];
    private int _at;
    private int _end;

    /// <summary>Bytes read so far, from the start.</summary>
    public long Position { get; private set; }

    /// <summary>The next byte that is no white space, not taken yet; -1 at the end.</summary>
    public async ValueTask<int> PeekAsync(CancellationToken ct)
    {
        while (true)
        {
            if (_at == _end && !await FillAsync(ct).ConfigureAwait(false))
                return -1;
            if (_buffer[_at] is not ((byte)' ' or (byte)'\t' or (byte)'\r' or (byte)'\n'))
                return _buffer[_at];
            Take();
        }
    }

    /// <summary>Takes the next byte, which must be the one expected.</summary>
    public async ValueTask ExpectAsync(char expected, CancellationToken ct)
    {
        var found = await PeekAsync(ct).ConfigureAwait(false);
        if (found != expected)
        {
            throw Fault(
                found < 0
                    ? $"it ends where '{expected}' is expected"
                    : $"'{(char)found}' is found where '{expected}' is expected"
            );
        }

        Take();
    }

    /// <summary>Takes the next byte if it is the one given.</summary>
    public async ValueTask<bool> TryTakeAsync(char wanted, CancellationToken ct)
    {
        if (await PeekAsync(ct).ConfigureAwait(false) != wanted)
            return false;
        Take();
        return true;
    }

    /// <summary>Reads the next value into the target, or skips it if there is no target.</summary>
    public async ValueTask ReadValueAsync(ArrayBufferWriter<byte>? target, CancellationToken ct)
    {
        target?.ResetWrittenCount();
        if (await PeekAsync(ct).ConfigureAwait(false) < 0)
            throw Fault("it ends where a value is expected");
        var depth = 0;
        bool inText = false,
            escaped = false;
        while (true)
        {
            if (_at == _end && !await FillAsync(ct).ConfigureAwait(false))
            {
                if (depth == 0 && !inText)
                    return;
                throw Fault("it ends within a value");
            }

            // In runs: what belongs to the value is copied at once.
            var start = _at;
            var ended = false;
            for (; _at < _end && !ended; _at++)
            {
                var b = _buffer[_at];
                if (inText)
                {
                    if (escaped)
                    {
                        escaped = false;
                    }
                    else if (b == '\\')
                    {
                        escaped = true;
                    }
                    else if (b == '"')
                    {
                        inText = false;
                        ended = depth == 0;
                    }
                }
                else if (b == '"')
                {
                    inText = true;
                }
                else if (b is (byte)'{' or (byte)'[')
                {
                    depth++;
                }
                else if (b is (byte)'}' or (byte)']')
                {
                    if (depth == 0)
                        break; // It closes the value around a number.
                    ended = --depth == 0;
                }
                else if (
                    depth == 0
                    && b is (byte)',' or (byte)' ' or (byte)'\t' or (byte)'\r' or (byte)'\n'
                    && depth == 0
                )
                {
                    break;
                }
            }

            var length = _at - start;
            Position += length;
            if (target is not null)
            {
                if (target.WrittenCount + length > maxValueBytes)
                    throw Fault($"a value of it has more than {maxValueBytes} bytes");
                target.Write(_buffer.AsSpan(start, length));
            }

            if (ended || _at < _end)
                return;
        }
    }

    /// <summary>Passes over bytes that are no JSON.</summary>
    public async ValueTask SkipAsync(long bytes, CancellationToken ct)
    {
        while (bytes > 0)
        {
            if (_at == _end && !await FillAsync(ct).ConfigureAwait(false))
                throw Fault("it ends within an attachment");
            var taken = (int)Math.Min(bytes, _end - _at);
            _at += taken;
            Position += taken;
            bytes -= taken;
        }
    }

    /// <summary>An error with its place.</summary>
    public InvalidDataException Fault(string reason) =>
        new($"the dump cannot be read at byte {Position} of its content: {reason}");

    private void Take()
    {
        _at++;
        Position++;
    }

    private async ValueTask<bool> FillAsync(CancellationToken ct)
    {
        _at = 0;
        _end = await stream.ReadAsync(_buffer, ct).ConfigureAwait(false);
        return _end > 0;
    }
}
