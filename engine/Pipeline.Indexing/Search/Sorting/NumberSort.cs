namespace Pipeline.Indexing;

/// <summary>Order by numbers; a field may have both longs and doubles.</summary>
internal sealed class NumberSort(ColumnReader longs, ColumnReader doubles, bool whole) : SortSource
{
    public override void Encode(ReadOnlySpan<int> entries, ReadOnlySpan<float> scores, Span<long> keys)
    {
        for (var i = 0; i < entries.Length; i++)
        {
            if (longs.TryGet(entries[i], out var value))
            {
                keys[i] = whole ? value : Rising(value);
            }
            else if (doubles.TryGet(entries[i], out value))
            {
                keys[i] = whole
                    ? (long)BitConverter.Int64BitsToDouble(value)
                    : Rising(BitConverter.Int64BitsToDouble(value));
            }
            else
            {
                keys[i] = Missing;
            }
        }
    }

    /// <summary>
    /// Maps the bits of a double to a number that rises with it; NaN sorts right behind missing values.
    /// </summary>
    public static long Rising(double value)
    {
        if (double.IsNaN(value))
            return Missing + 1;
        var bits = BitConverter.DoubleToInt64Bits(value + 0.0);
        return bits < 0 ? bits ^ long.MaxValue : bits;
    }
}
