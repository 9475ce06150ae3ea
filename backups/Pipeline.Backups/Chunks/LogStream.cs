using System.Buffers.Binary;
using Pipeline.Storage;

namespace Pipeline.Backups.Chunks;

/// <summary>
/// Consecutive transactions of the journal: state (52 bytes), number of records (4), bytes of records (4), records. The
/// stream can be cut into chunks anywhere. Not thread-safe.
/// </summary>
internal sealed class LogStream(Func<byte[]> rent, Action<byte[], int> full)
{
    public const int HeaderBytes = LogState.Bytes + 8;
    private byte[]? _buffer;
    private int _used;

    /// <summary>Transactions written.</summary>
    public long Transactions { get; private set; }

    public void Write(LogState state, int recordCount, ReadOnlySpan<byte> records)
    {
        Span<byte> header = stackalloc byte[HeaderBytes];
        state.Write(header);
        BinaryPrimitives.WriteInt32LittleEndian(header[LogState.Bytes..], recordCount);
        BinaryPrimitives.WriteInt32LittleEndian(header[(LogState.Bytes + 4)..], records.Length);
        Append(header);
        Append(records);
        Transactions++;
    }

    /// <summary>Emits the content of the last chunk.</summary>
    public void Flush()
    {
        if (_buffer is null)
            return;
        full(_buffer, _used);
        _buffer = null;
    }

    private void Append(ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            if (_buffer is null)
            {
                _buffer = rent();
                _used = 0;
            }
            var taken = Math.Min(bytes.Length, ChunkFormat.MaxContentBytes - _used);
            bytes[..taken].CopyTo(_buffer.AsSpan(_used));
            _used += taken;
            bytes = bytes[taken..];
            if (_used == ChunkFormat.MaxContentBytes)
                Flush();
        }
    }
}
