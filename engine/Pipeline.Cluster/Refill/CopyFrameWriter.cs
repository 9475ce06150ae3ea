using System.Buffers.Binary;
using Pipeline.Storage;

namespace Pipeline.Cluster;

/// <summary>Collects frames of a copy in one buffer. Not thread-safe.</summary>
internal sealed class CopyFrameWriter
{
    private byte[] _buffer = new byte[CopyFrame.HeaderBytes + 8 + PageScan.MaxPartBytes];
    private int _length;
    private uint _number;

    /// <summary>The number of bytes collected since the last <see cref="Take"/>.</summary>
    public int Length => _length;

    /// <summary>The bytes collected, valid until the next call.</summary>
    public ReadOnlyMemory<byte> Take()
    {
        var taken = _buffer.AsMemory(0, _length);
        _length = 0;
        return taken;
    }

    /// <summary>Room for a payload of at most that length, to be filled before <see cref="Add"/>.</summary>
    public Span<byte> Room(int length)
    {
        var wanted = _length + CopyFrame.HeaderBytes + (long)length;
        if (wanted > _buffer.Length)
            Array.Resize(ref _buffer, checked((int)Math.Min(Array.MaxLength, Math.Max(wanted, 2L * _buffer.Length))));
        return _buffer.AsSpan(_length + CopyFrame.HeaderBytes, length);
    }

    /// <summary>Adds the payload that was put into the room.</summary>
    public void Add(CopyFrameKind kind, int length)
    {
        var payload = _buffer.AsSpan(_length + CopyFrame.HeaderBytes, length);
        CopyFrame.Write(_buffer.AsSpan(_length), kind, _number++, payload);
        _length += CopyFrame.HeaderBytes + length;
    }

    /// <summary>Adds a frame of the next pages; false if there are none left.</summary>
    /// <exception cref="CorruptPageException">A page is damaged at the source.</exception>
    public bool AddPart(PageScan scan)
    {
        var room = Room(8 + PageScan.MaxPartBytes);
        if (!scan.TryRead(room[8..], out var part, out var length))
            return false;
        BinaryPrimitives.WriteInt64LittleEndian(room, part);
        Add(CopyFrameKind.Part, 8 + length);
        return true;
    }

    /// <summary>Adds a frame of a transaction.</summary>
    public void AddTransaction(Storage.LogState state, int count, ReadOnlySpan<byte> records)
    {
        var length = Storage.LogState.Bytes + 4 + records.Length;
        var room = Room(length);
        state.Write(room);
        BinaryPrimitives.WriteInt32LittleEndian(room[Storage.LogState.Bytes..], count);
        records.CopyTo(room[(Storage.LogState.Bytes + 4)..]);
        Add(CopyFrameKind.Transaction, length);
    }
}
