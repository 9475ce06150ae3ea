using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Pipeline.Json;

/// <summary>
/// The bytes of a binary JSON document (see FORMAT.md, "Documents"), and bounds-checked reads of them.
/// </summary>
/// <remarks>
/// A value lies before the array or object that holds it, so that one pass over the text can write it, and so that a
/// reader that follows offsets always goes down: corrupt bytes cannot send it round in a circle.
/// </remarks>
internal static class BinaryLayout
{
    internal const byte Version = 0x10;
    internal const byte VersionMask = 0xF0;
    internal const byte WideFlag = 0x01;

    internal const byte Null = 0;
    internal const byte False = 1;
    internal const byte True = 2;
    internal const byte Int8 = 3;
    internal const byte Int16 = 4;
    internal const byte Int32 = 5;
    internal const byte Int64 = 6;
    internal const byte Decimal32 = 7;
    internal const byte Decimal64 = 8;
    internal const byte NumberText = 9;
    internal const byte LongString = 10;
    internal const byte Array = 11;
    internal const byte Object = 12;
    internal const byte WideObject = 13;
    internal const byte LastTag = WideObject;

    internal const byte FirstTinyInt = 0x20;
    internal const int TinyIntBias = 0x30;
    internal const int MinTinyInt = FirstTinyInt - TinyIntBias;
    internal const int MaxTinyInt = 0x7F - TinyIntBias;
    internal const byte FirstShortString = 0x80;
    internal const int MaxShortString = 0x7F;

    /// <summary>Texts up to this length make documents whose offsets fit 16 bits.</summary>
    internal const int NarrowTextLimit = 16 * 1024;

    internal static int Width(ReadOnlySpan<byte> data)
    {
        if (data.Length < 6 || (data[0] & VersionMask) != Version)
            Corrupt(0, "not a document of a known version");
        return (data[0] & WideFlag) != 0 ? 4 : 2;
    }

    internal static int RootOffset(ReadOnlySpan<byte> data)
    {
        var width = Width(data);
        return CheckedOffset(data, data.Length - 2 * width, width, data.Length - 2 * width);
    }

    internal static int NamesOffset(ReadOnlySpan<byte> data, int width) =>
        CheckedOffset(data, data.Length - width, width, data.Length - 2 * width);

    /// <summary>
    /// The offset stored at <paramref name="at"/>, which must lie within the document and before
    /// <paramref name="below"/>.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int CheckedOffset(ReadOnlySpan<byte> data, int at, int width, int below)
    {
        var offset = ReadWidth(data, at, width);
        if (offset == 0 || offset >= (uint)below)
            Corrupt(at, "an offset that points outside its place");
        return (int)offset;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static uint ReadWidth(ReadOnlySpan<byte> data, int at, int width)
    {
        if ((uint)at > (uint)data.Length || data.Length - at < width)
            Corrupt(at, "the document ends early");
        return width == 2
            ? BinaryPrimitives.ReadUInt16LittleEndian(data.Slice(at, 2))
            : BinaryPrimitives.ReadUInt32LittleEndian(data.Slice(at, 4));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static byte Tag(ReadOnlySpan<byte> data, int at)
    {
        if ((uint)at >= (uint)data.Length)
            Corrupt(at, "the document ends early");
        return data[at];
    }

    /// <summary>Checks that <paramref name="length"/> bytes lie at <paramref name="at"/> and returns them.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ReadOnlySpan<byte> Slice(ReadOnlySpan<byte> data, int at, int length)
    {
        if ((uint)at > (uint)data.Length || (uint)length > (uint)(data.Length - at))
            Corrupt(at, "the document ends early");
        return data.Slice(at, length);
    }

    /// <summary>The bytes of this many entries, which must lie within the document.</summary>
    internal static int Bytes(ReadOnlySpan<byte> data, int at, int count, int width)
    {
        if ((long)count * width > data.Length - at)
            Corrupt(at, "the document ends early");
        return count * width;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int ReadVarint(ReadOnlySpan<byte> data, ref int at)
    {
        if ((uint)at < (uint)data.Length && data[at] < 0x80)
            return data[at++];
        return ReadLongVarint(data, ref at);
    }

    private static int ReadLongVarint(ReadOnlySpan<byte> data, ref int at)
    {
        uint value = 0;
        for (var shift = 0; shift < 35; shift += 7)
        {
            if ((uint)at >= (uint)data.Length)
                Corrupt(at, "the document ends early");
            var b = data[at++];
            value |= (uint)(b & 0x7F) << shift;
            if (b < 0x80)
            {
                if (value > int.MaxValue)
                    break;
                return (int)value;
            }
        }

        Corrupt(at, "a length out of range");
        return 0;
    }

    internal static int WriteVarint(Span<byte> target, int value)
    {
        var n = 0;
        var v = (uint)value;
        while (v >= 0x80)
        {
            target[n++] = (byte)(v | 0x80);
            v >>= 7;
        }

        target[n++] = (byte)v;
        return n;
    }

    /// <summary>A 16-bit hash that distinguishes most names of one document.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ushort Signature(ReadOnlySpan<byte> name)
    {
        if (name.IsEmpty)
            return 0;
        var sides = name[0] | (uint)name[^1] << 8;
        return (ushort)(sides ^ name[name.Length >> 1] * 0x0505u ^ (uint)name.Length * 0x1D0Bu);
    }

    /// <summary>The number of a name in the document's table, or -1.</summary>
    internal static int FindName(ReadOnlySpan<byte> data, int width, ReadOnlySpan<byte> name)
    {
        var at = NamesOffset(data, width);
        var count = NameCount(data, ref at, width);
        var signatures = MemoryMarshal.Cast<byte, ushort>(data.Slice(at, count * 2));
        var signature = BitConverter.IsLittleEndian
            ? Signature(name)
            : BinaryPrimitives.ReverseEndianness(Signature(name));
        var ends = at + count * 2;
        var from = 0;
        while (true)
        {
            var step = signatures[from..].IndexOf(signature);
            if (step < 0)
                return -1;
            var id = from + step;
            if (Name(data, ends, count, width, id).SequenceEqual(name))
                return id;
            from = id + 1;
        }
    }

    /// <summary>The bytes of the name with number <paramref name="id"/>, within <paramref name="data"/>.</summary>
    internal static Range NameRange(ReadOnlySpan<byte> data, int width, int id)
    {
        var at = NamesOffset(data, width);
        var count = NameCount(data, ref at, width);
        if ((uint)id >= (uint)count)
            Corrupt(at, "a property name that is not in the table");
        return NameRange(data, at + count * 2, count, width, id);
    }

    private static int NameCount(ReadOnlySpan<byte> data, ref int at, int width)
    {
        var count = ReadWidth(data, at, width);
        at += width;
        if (count * (long)(2 + width) > data.Length - at)
            Corrupt(at, "a name table longer than the document");
        return (int)count;
    }

    private static ReadOnlySpan<byte> Name(ReadOnlySpan<byte> data, int ends, int count, int width, int id) =>
        data[NameRange(data, ends, count, width, id)];

    private static Range NameRange(ReadOnlySpan<byte> data, int ends, int count, int width, int id)
    {
        var bytes = ends + count * width;
        var start = id == 0 ? 0 : ReadWidth(data, ends + (id - 1) * width, width);
        var end = ReadWidth(data, ends + id * width, width);
        if (start > end || end > (uint)(data.Length - bytes))
            Corrupt(ends + id * width, "a property name outside the table");
        return new Range(bytes + (int)start, bytes + (int)end);
    }

    [DoesNotReturn]
    internal static void Corrupt(int offset, string reason) => throw new BinaryJsonCorruptException(offset, reason);
}
