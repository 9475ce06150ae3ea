using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Pipeline.Indexing;

/// <summary>Some hundred neighbours of the numeric index in order, read in place. FORMAT.md, "Numbers".</summary>
/// <remarks>
/// Safety of the pointers: <see cref="TryOpen"/> checks that all parts for the count and widths in the header lie
/// within the value; indexes are below the count.
/// </remarks>
internal readonly unsafe struct NumericChunk
{
    public const int HeaderSize = 16;
    public const int KeySize = 17;
    public const byte Numbers = 0;
    public const byte Points = 1;
    private readonly byte* _start;

    private NumericChunk(byte* start) => _start = start;

    public bool Exists => _start != null;

    public int Count => Unsafe.ReadUnaligned<ushort>(_start);

    private int Width => _start[2];

    private int Shift => _start[3];

    private bool HasLow => _start[4] != 0;

    private ulong Base => Unsafe.ReadUnaligned<ulong>(_start + 8);

    private byte* Lows => _start + HeaderSize + (Count * Width);

    private byte* Entries => Lows + (HasLow ? Count * sizeof(ushort) : 0);

    public static bool TryOpen(byte* value, int length, out NumericChunk chunk)
    {
        chunk = new NumericChunk(value);
        return length >= HeaderSize
            && chunk.Count > 0
            && chunk.Width is 0 or 1 or 2 or 4 or 8
            && chunk.Shift < 64
            && length >= SizeOf(chunk.Count, chunk.Width, chunk.HasLow);
    }

    public static void WriteKey(Span<byte> key, int field, byte kind, in NumericItem first)
    {
        BinaryPrimitives.WriteUInt16BigEndian(key, (ushort)field);
        key[2] = kind;
        first.Key.Write(key[3..]);
        BinaryPrimitives.WriteInt32BigEndian(key[13..], first.Entry);
    }

    public static NumericItem ReadKey(ReadOnlySpan<byte> key) =>
        new(NumericKey.Read(key[3..]), BinaryPrimitives.ReadInt32BigEndian(key[13..]));

    public NumericItem this[int index] => new(KeyAt(index), EntryAt(index));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int EntryAt(int index) => Unsafe.ReadUnaligned<int>(Entries + (index * sizeof(int)));

    /// <summary>Copies entries as they lie.</summary>
    public void CopyEntries(int from, Span<int> target) =>
        new ReadOnlySpan<byte>(Entries + (from * sizeof(int)), target.Length * sizeof(int)).CopyTo(
            MemoryMarshal.AsBytes(target)
        );

    public NumericKey KeyAt(int index) =>
        new(
            Base + (Stored(index) << Shift),
            HasLow ? Unsafe.ReadUnaligned<ushort>(Lows + (index * sizeof(ushort))) : (ushort)0
        );

    /// <summary>The first index whose number is not less.</summary>
    public int LowerBound(NumericKey key)
    {
        var low = 0;
        var high = Count;
        while (low < high)
        {
            var middle = (low + high) >>> 1;
            if (KeyAt(middle) < key)
                low = middle + 1;
            else
                high = middle;
        }

        return low;
    }

    /// <summary>The first index whose number is greater.</summary>
    public int UpperBound(NumericKey key)
    {
        var low = 0;
        var high = Count;
        while (low < high)
        {
            var middle = (low + high) >>> 1;
            if (KeyAt(middle) <= key)
                low = middle + 1;
            else
                high = middle;
        }

        return low;
    }

    /// <summary>
    /// The layout for items in order: the bytes of a number, by how many bits it is shifted, whether there are lows.
    /// </summary>
    public static (int Width, int Shift, bool HasLow) Measure(ReadOnlySpan<NumericItem> items)
    {
        var first = items[0].Key.High;
        ulong all = 0;
        ushort lows = 0;
        foreach (var item in items)
        {
            all |= item.Key.High - first;
            lows |= item.Key.Low;
        }

        if (all == 0)
            return (0, 0, lows != 0);
        var shift = BitOperations.TrailingZeroCount(all);
        var range = (items[^1].Key.High - first) >> shift;
        return (
            range <= byte.MaxValue ? 1
            : range <= ushort.MaxValue ? 2
            : range <= uint.MaxValue ? 4
            : 8,
            shift,
            lows != 0
        );
    }

    public static int SizeOf(int count, int width, bool hasLow) =>
        HeaderSize + (count * (width + (hasLow ? sizeof(ushort) : 0) + sizeof(int)));

    /// <summary>Writes items in order.</summary>
    public static void Write(ReadOnlySpan<NumericItem> items, int width, int shift, bool hasLow, Span<byte> target)
    {
        target[..HeaderSize].Clear();
        BinaryPrimitives.WriteUInt16LittleEndian(target, (ushort)items.Length);
        target[2] = (byte)width;
        target[3] = (byte)shift;
        target[4] = hasLow ? (byte)1 : (byte)0;
        var first = items[0].Key.High;
        BinaryPrimitives.WriteUInt64LittleEndian(target[8..], first);
        var values = target.Slice(HeaderSize, items.Length * width);
        var lows = target.Slice(HeaderSize + values.Length, hasLow ? items.Length * sizeof(ushort) : 0);
        var entries = target[(HeaderSize + values.Length + lows.Length)..];
        for (var i = 0; i < items.Length; i++)
        {
            var stored = (items[i].Key.High - first) >> shift;
            switch (width)
            {
                case 1:
                    values[i] = (byte)stored;
                    break;
                case 2:
                    BinaryPrimitives.WriteUInt16LittleEndian(values[(i * 2)..], (ushort)stored);
                    break;
                case 4:
                    BinaryPrimitives.WriteUInt32LittleEndian(values[(i * 4)..], (uint)stored);
                    break;
                case 8:
                    BinaryPrimitives.WriteUInt64LittleEndian(values[(i * 8)..], stored);
                    break;
            }

            if (hasLow)
                BinaryPrimitives.WriteUInt16LittleEndian(lows[(i * sizeof(ushort))..], items[i].Key.Low);
            BinaryPrimitives.WriteInt32LittleEndian(entries[(i * sizeof(int))..], items[i].Entry);
        }
    }

    private ulong Stored(int index)
    {
        var values = _start + HeaderSize;
        return Width switch
        {
            0 => 0,
            1 => values[index],
            2 => Unsafe.ReadUnaligned<ushort>(values + (index * 2)),
            4 => Unsafe.ReadUnaligned<uint>(values + (index * 4)),
            _ => Unsafe.ReadUnaligned<ulong>(values + (index * 8)),
        };
    }
}
