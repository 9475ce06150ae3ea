using System.Buffers.Binary;
using Pipeline.Storage;

namespace Pipeline.Backups.Chunks;

/// <summary>
/// Reads the chunks of a <see cref="LogStream"/> in order and emits its transactions. Not thread-safe.
/// </summary>
internal sealed class LogStreamReader(LogEntryHandler handler)
{
    private byte[] _pending = [];
    private int _used;

    /// <summary>Whether the last transaction is complete.</summary>
    public bool IsAtEnd => _used == 0;

    /// <summary>Reads a chunk. Stops when <paramref name="goOn"/> returns false.</summary>
    /// <returns>Whether to continue.</returns>
    public bool Add(ReadOnlySpan<byte> chunk, Func<LogState, bool> goOn)
    {
        if (_pending.Length < _used + chunk.Length)
            Array.Resize(ref _pending, Math.Max(_used + chunk.Length, _pending.Length * 2));
        chunk.CopyTo(_pending.AsSpan(_used));
        _used += chunk.Length;
        var at = 0;
        while (_used - at >= LogStream.HeaderBytes)
        {
            var header = _pending.AsSpan(at, LogStream.HeaderBytes);
            var length = BinaryPrimitives.ReadInt32LittleEndian(header[(LogState.Bytes + 4)..]);
            if (_used - at - LogStream.HeaderBytes < length)
                break;
            var state = LogState.Read(header);
            if (!goOn(state))
                return false;
            handler(
                state,
                BinaryPrimitives.ReadInt32LittleEndian(header[LogState.Bytes..]),
                _pending.AsSpan(at + LogStream.HeaderBytes, length)
            );
            at += LogStream.HeaderBytes + length;
        }
        _pending.AsSpan(at, _used - at).CopyTo(_pending);
        _used -= at;
        return true;
    }
}
