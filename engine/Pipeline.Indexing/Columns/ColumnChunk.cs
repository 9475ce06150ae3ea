using System.Runtime.CompilerServices;

namespace Pipeline.Indexing;

/// <summary>
/// The values of up to <see cref="Capacity"/> neighbouring entries in a column, read in place. FORMAT.md, "Columns".
/// </summary>
/// <remarks>
/// Valid as long as the reader that it is from. Safety of the pointers: <see cref="TryOpen"/> checks that the parts for
/// the counts and widths in the header lie within the value, and that the offsets of several values rise to their
/// count; a slot is compared with the count before it is read.
/// </remarks>
public readonly unsafe struct ColumnChunk
{
    /// <summary>Entries in a chunk.</summary>
    public const int Capacity = 960;

    internal const int HeaderSize = 16;
    internal const int PresenceSize = Capacity / 8;
    internal const byte Multiple = 1;
    internal const byte Presence = 2;
    private readonly byte* _start;

    private ColumnChunk(byte* start) => _start = start;

    /// <summary>Whether there is a chunk at all; none of its entries has a value otherwise.</summary>
    public bool Exists => _start != null;

    /// <summary>Bytes of a stored number: 0, 1, 2, 4 or 8. With 0 all entries have <see cref="Base"/>.</summary>
    public int Width => _start[0];

    /// <summary>Whether some entry has more than one value.</summary>
    public bool IsMultiple => (_start[1] & Multiple) != 0;

    /// <summary>Entries from the first of the chunk on; those behind have no value.</summary>
    public int Count => Unsafe.ReadUnaligned<ushort>(_start + 2);

    /// <summary>
    /// Where <see cref="HasNone"/> holds a stored 0 is no value and another is the value less this plus one; else it is
    /// the value less this.
    /// </summary>
    public long Base => Unsafe.ReadUnaligned<long>(_start + 8);

    /// <summary>Whether a stored 0 means that there is no value.</summary>
    public bool HasNone => Width is 1 or 2 or 4 && !IsMultiple;

    /// <summary>
    /// The stored numbers, as bytes: of single values one for each of <see cref="Count"/> entries, <see cref="Width"/>
    /// bytes each.
    /// </summary>
    public ReadOnlySpan<byte> Stored => new(Values, (IsMultiple ? ValueCount : Count) * Width);

    private bool HasPresence => (_start[1] & Presence) != 0;

    private int ValueCount => Unsafe.ReadUnaligned<int>(_start + 4);

    private byte* Offsets => _start + HeaderSize;

    private byte* Values =>
        _start
        + HeaderSize
        + (
            IsMultiple ? (Count + 1) * sizeof(int)
            : HasPresence ? PresenceSize
            : 0
        );

    /// <summary>The first value of an entry.</summary>
    /// <param name="slot">The entry's number within the chunk.</param>
    /// <param name="value">The value.</param>
    /// <returns>Whether there is one.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryGet(int slot, out long value)
    {
        value = 0;
        if (_start == null || (uint)slot >= (uint)Count)
            return false;
        if ((_start[1] & (Multiple | Presence)) != 0)
            return TryGetSlow(slot, out value);
        var values = _start + HeaderSize;
        long stored;
        switch (_start[0])
        {
            case 0:
                value = Base;
                return true;
            case 1:
                stored = values[slot];
                break;
            case 2:
                stored = Unsafe.ReadUnaligned<ushort>(values + (slot * 2));
                break;
            case 4:
                stored = Unsafe.ReadUnaligned<uint>(values + (slot * 4L));
                break;
            default:
                value = Unsafe.ReadUnaligned<long>(values + (slot * 8L));
                return true;
        }

        value = Base + stored - 1;
        return stored != 0;
    }

    /// <summary>How many values an entry has.</summary>
    public int CountAt(int slot)
    {
        if (_start == null || (uint)slot >= (uint)Count)
            return 0;
        return IsMultiple ? Offset(slot + 1) - Offset(slot)
            : TryGet(slot, out _) ? 1
            : 0;
    }

    /// <summary>A value of an entry.</summary>
    /// <param name="slot">The entry's number within the chunk.</param>
    /// <param name="index">Which value, below <see cref="CountAt"/>.</param>
    public long ValueAt(int slot, int index)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual((uint)index, (uint)CountAt(slot));
        if (IsMultiple)
            return Base + (long)Raw(Offset(slot) + index);
        TryGet(slot, out var value);
        return value;
    }

    internal static bool TryOpen(byte* value, int length, out ColumnChunk chunk)
    {
        chunk = new ColumnChunk(value);
        if (length < HeaderSize || chunk.Count > Capacity || !IsWidth(value[0]))
            return false;
        long need = HeaderSize;
        if (!chunk.IsMultiple)
            return length >= need + (chunk.HasPresence ? PresenceSize : 0) + ((long)chunk.Count * chunk.Width);
        need += (chunk.Count + 1L) * sizeof(int);
        if (chunk.ValueCount < 0 || length < need + ((long)chunk.ValueCount * chunk.Width))
            return false;
        var last = 0;
        for (var i = 0; i <= chunk.Count; i++)
        {
            var offset = chunk.Offset(i);
            if (offset < last)
                return false;
            last = offset;
        }

        return last <= chunk.ValueCount;
    }

    private static bool IsWidth(byte width) => width is 0 or 1 or 2 or 4 or 8;

    private bool TryGetSlow(int slot, out long value)
    {
        value = 0;
        if (IsMultiple)
        {
            var from = Offset(slot);
            if (Offset(slot + 1) == from)
                return false;
            value = Base + (long)Raw(from);
            return true;
        }

        if ((Offsets[slot >> 3] & (1 << (slot & 7))) == 0)
            return false;
        value = Base + (long)Raw(slot);
        return true;
    }

    private int Offset(int slot) => Unsafe.ReadUnaligned<int>(Offsets + (slot * (long)sizeof(int)));

    private ulong Raw(int index) =>
        Width switch
        {
            0 => 0,
            1 => Values[index],
            2 => Unsafe.ReadUnaligned<ushort>(Values + (index * 2L)),
            4 => Unsafe.ReadUnaligned<uint>(Values + (index * 4L)),
            _ => Unsafe.ReadUnaligned<ulong>(Values + (index * 8L)),
        };
}
