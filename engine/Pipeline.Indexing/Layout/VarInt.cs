using System.Runtime.CompilerServices;

namespace Pipeline.Indexing;

/// <summary>Base-128 numbers: seven bits a byte, the lowest first, the top bit for "more".</summary>
internal static unsafe class VarInt
{
    /// <summary>The most bytes of a number.</summary>
    public const int MaxSize = 10;

    /// <summary>
    /// Writes a number; returns the place behind it. There must be room for <see cref="MaxSize"/> bytes.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* Write(byte* target, ulong value)
    {
        for (; value >= 0x80; value >>= 7)
            *target++ = (byte)(value | 0x80);
        *target++ = (byte)value;
        return target;
    }

    /// <summary>Reads a number that is known to be whole.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Read(ref byte* source)
    {
        ulong value = *source++;
        if (value < 0x80)
            return value;
        value &= 0x7F;
        for (var shift = 7; ; shift += 7)
        {
            ulong next = *source++;
            value |= (next & 0x7F) << shift;
            if (next < 0x80)
                return value;
        }
    }

    /// <summary>
    /// Reads a stored number; false if it does not end before <paramref name="end"/> or within <see cref="MaxSize"/>
    /// bytes.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryRead(ref byte* source, byte* end, out ulong value)
    {
        value = 0;
        for (var shift = 0; source < end && shift < 64; shift += 7)
        {
            ulong next = *source++;
            value |= (next & 0x7F) << shift;
            if (next < 0x80)
                return true;
        }

        return false;
    }
}
