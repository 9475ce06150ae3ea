using System.Buffers.Binary;
using Pipeline.Storage;

namespace Pipeline.Indexing;

/// <summary>Makes the chunks of a column, of new entries and of those that the last chunk has already.</summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed unsafe class ColumnBuilder(PutLog log, Tree? stored, int field, ColumnKind kind)
{
    private const int KeySize = 7;
    private readonly byte[] _key = new byte[KeySize];
    private readonly int[] _offsets = new int[ColumnChunk.Capacity + 1];
    private readonly List<long> _values = [];
    private int _chunk = -1;
    private int _slot = -1;
    private int _lastEntry = -1;

    /// <summary>Whether a value was added.</summary>
    public bool HasValues => _lastEntry >= 0;

    /// <summary>Whether an entry was given several values.</summary>
    public bool IsMultiple { get; private set; }

    /// <summary>Adds a value; the entries must not fall.</summary>
    public void Add(int entry, long value)
    {
        var chunk = entry / ColumnChunk.Capacity;
        if (chunk != _chunk)
        {
            EndChunk();
            BeginChunk(chunk);
        }

        IsMultiple |= entry == _lastEntry;
        _lastEntry = entry;
        Advance(entry - (chunk * ColumnChunk.Capacity));
        _values.Add(value);
    }

    /// <summary>Ends the column.</summary>
    public void End() => EndChunk();

    private void Advance(int slot)
    {
        while (_slot < slot)
            _offsets[++_slot] = _values.Count;
    }

    private void BeginChunk(int chunk)
    {
        _chunk = chunk;
        _slot = -1;
        _values.Clear();
        ColumnReader.WriteKey(_key, field, kind, chunk);
        if (stored is null || !stored.TryGet(_key, out var value))
            return;
        fixed (byte* at = value)
        {
            if (!ColumnChunk.TryOpen(at, value.Length, out var before))
                throw IndexTrees.Corrupt(IndexTrees.Columns, _key, "a column's chunk is not whole");
            for (var slot = 0; slot < before.Count; slot++)
            {
                var count = before.CountAt(slot);
                if (count > 0)
                    Advance(slot);
                for (var i = 0; i < count; i++)
                    _values.Add(before.ValueAt(slot, i));
            }
        }
    }

    private void EndChunk()
    {
        if (_chunk < 0 || _values.Count == 0)
            return;
        var slots = _slot + 1;
        _offsets[slots] = _values.Count;
        long least = long.MaxValue,
            most = long.MinValue;
        foreach (var value in _values)
        {
            least = Math.Min(least, value);
            most = Math.Max(most, value);
        }

        var isMultiple = false;
        for (var i = 0; i < slots; i++)
            isMultiple |= _offsets[i + 1] - _offsets[i] > 1;
        if (isMultiple)
            WriteMultiple(slots, least, (ulong)(most - least));
        else
            WriteSingle(slots, least, (ulong)(most - least));
        _chunk = -1;
    }

    private void WriteMultiple(int slots, long least, ulong range)
    {
        var width = WidthOf(range);
        var offsets = (slots + 1) * sizeof(int);
        var target = log.Reserve(_key, checked(ColumnChunk.HeaderSize + offsets + (_values.Count * width)));
        WriteHeader(target, width, ColumnChunk.Multiple, slots, least);
        for (var i = 0; i <= slots; i++)
        {
            BinaryPrimitives.WriteInt32LittleEndian(
                target[(ColumnChunk.HeaderSize + (i * sizeof(int)))..],
                _offsets[i]
            );
        }

        target = target[(ColumnChunk.HeaderSize + offsets)..];
        for (var i = 0; i < _values.Count; i++)
            WriteValue(target, i, width, (ulong)(_values[i] - least));
    }

    private void WriteSingle(int slots, long least, ulong range)
    {
        var isFull = _values.Count == slots;
        // One more value, 0, says that there is none.
        var width =
            isFull && range == 0 ? 0
            : range == ulong.MaxValue ? 8
            : WidthOf(range + 1);
        var hasPresence = width == 8;
        var from = ColumnChunk.HeaderSize + (hasPresence ? ColumnChunk.PresenceSize : 0);
        var target = log.Reserve(_key, from + (slots * width));
        target.Clear();
        WriteHeader(target, width, hasPresence ? ColumnChunk.Presence : (byte)0, slots, hasPresence ? 0 : least);
        for (var slot = 0; slot < slots && width != 0; slot++)
        {
            if (_offsets[slot + 1] == _offsets[slot])
                continue;
            var value = _values[_offsets[slot]];
            if (hasPresence)
                target[ColumnChunk.HeaderSize + (slot >> 3)] |= (byte)(1 << (slot & 7));
            WriteValue(target[from..], slot, width, hasPresence ? (ulong)value : (ulong)(value - least) + 1);
        }
    }

    private void WriteHeader(Span<byte> target, int width, byte flags, int slots, long least)
    {
        target[0] = (byte)width;
        target[1] = flags;
        BinaryPrimitives.WriteUInt16LittleEndian(target[2..], (ushort)slots);
        BinaryPrimitives.WriteInt32LittleEndian(target[4..], _values.Count);
        BinaryPrimitives.WriteInt64LittleEndian(target[8..], least);
    }

    private static int WidthOf(ulong range) =>
        range switch
        {
            <= byte.MaxValue => 1,
            <= ushort.MaxValue => 2,
            <= uint.MaxValue => 4,
            _ => 8,
        };

    private static void WriteValue(Span<byte> target, int index, int width, ulong value)
    {
        switch (width)
        {
            case 1:
                target[index] = (byte)value;
                break;
            case 2:
                BinaryPrimitives.WriteUInt16LittleEndian(target[(index * 2)..], (ushort)value);
                break;
            case 4:
                BinaryPrimitives.WriteUInt32LittleEndian(target[(index * 4)..], (uint)value);
                break;
            default:
                BinaryPrimitives.WriteUInt64LittleEndian(target[(index * 8)..], value);
                break;
        }
    }
}
