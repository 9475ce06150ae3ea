using System.Buffers.Binary;

namespace Pipeline.Indexing;

/// <summary>
/// A number's place among all longs and doubles, without loss: 1, 1.0 are one key, 2^53 and 2^53 + 1 are two, and −0.0
/// is 0. NaN has no place.
/// </summary>
/// <remarks>
/// The greatest double that is not greater than the number, as bits that sort; then the difference from the number,
/// which is 0 for doubles and up to 1,023 for longs beyond 2^53.
/// </remarks>
public readonly record struct NumericKey(ulong High, ushort Low) : IComparable<NumericKey>
{
    /// <summary>Bytes of a stored key.</summary>
    internal const int Size = 10;

    private const double TwoTo63 = 9223372036854775808.0;

    /// <summary>Less than or equal to every number's key.</summary>
    public static NumericKey Min => new(0, 0);

    /// <summary>Greater than every number's key.</summary>
    public static NumericKey Max => new(ulong.MaxValue, ushort.MaxValue);

    /// <summary>The key of a whole number.</summary>
    public static NumericKey From(long value)
    {
        double floor = value;
        // Rounding may have gone up, at the end even to 2^63, which is no long.
        if (floor >= TwoTo63 || (long)floor > value)
            floor = Math.BitDecrement(floor);
        return new NumericKey(Sortable(floor), (ushort)(value - (long)floor));
    }

    /// <summary>The key of a double; false for NaN.</summary>
    public static bool TryFrom(double value, out NumericKey key)
    {
        key = new NumericKey(Sortable(value), 0);
        return !double.IsNaN(value);
    }

    /// <summary>
    /// The greatest double that is not greater than the number: the number itself, unless it is a long beyond 2^53.
    /// </summary>
    public double ToDouble() => BitConverter.UInt64BitsToDouble((High >> 63) != 0 ? High ^ (1UL << 63) : ~High);

    /// <inheritdoc/>
    public int CompareTo(NumericKey other)
    {
        var high = High.CompareTo(other.High);
        return high != 0 ? high : Low.CompareTo(other.Low);
    }

    /// <summary>Whether the left number is less.</summary>
    public static bool operator <(NumericKey left, NumericKey right) => left.CompareTo(right) < 0;

    /// <summary>Whether the left number is greater.</summary>
    public static bool operator >(NumericKey left, NumericKey right) => left.CompareTo(right) > 0;

    /// <summary>Whether the left number is less or the same.</summary>
    public static bool operator <=(NumericKey left, NumericKey right) => left.CompareTo(right) <= 0;

    /// <summary>Whether the left number is greater or the same.</summary>
    public static bool operator >=(NumericKey left, NumericKey right) => left.CompareTo(right) >= 0;

    internal void Write(Span<byte> target)
    {
        BinaryPrimitives.WriteUInt64BigEndian(target, High);
        BinaryPrimitives.WriteUInt16BigEndian(target[8..], Low);
    }

    internal static NumericKey Read(ReadOnlySpan<byte> source) =>
        new(BinaryPrimitives.ReadUInt64BigEndian(source), BinaryPrimitives.ReadUInt16BigEndian(source[8..]));

    private static ulong Sortable(double value)
    {
        // Adding 0.0 makes 0.0 of −0.0 and leaves all else.
        var bits = BitConverter.DoubleToUInt64Bits(value + 0.0);
        return (bits >> 63) != 0 ? ~bits : bits | (1UL << 63);
    }
}
