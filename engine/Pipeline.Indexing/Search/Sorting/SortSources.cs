namespace Pipeline.Indexing;

/// <summary>Gives each entry a number by which it is put in order, rising. One thread at a time.</summary>
internal abstract class SortSource
{
    /// <summary>What an entry without a value has.</summary>
    public const long Missing = long.MinValue;

    /// <summary>Whether equal numbers mean equal values; otherwise <see cref="Compare"/> decides.</summary>
    public virtual bool IsExact => true;

    /// <summary>Gives the numbers of entries.</summary>
    public abstract void Encode(ReadOnlySpan<int> entries, ReadOnlySpan<float> scores, Span<long> keys);

    /// <summary>Compares the values of two entries with equal numbers.</summary>
    public virtual int Compare(int left, int right) => 0;
}

/// <summary>All are equal: the order by a field that the index does not have.</summary>
internal sealed class NoSort : SortSource
{
    public override void Encode(ReadOnlySpan<int> entries, ReadOnlySpan<float> scores, Span<long> keys) =>
        keys[..entries.Length].Fill(Missing);
}

/// <summary>Order by score.</summary>
internal sealed class ScoreSort : SortSource
{
    public override void Encode(ReadOnlySpan<int> entries, ReadOnlySpan<float> scores, Span<long> keys)
    {
        for (var i = 0; i < entries.Length; i++)
            keys[i] = BitConverter.SingleToInt32Bits(scores[i] + 0f);
    }
}

/// <summary>Order by a hash of seed and entry (splitmix64, S. Vigna).</summary>
internal sealed class RandomSort(long seed) : SortSource
{
    public override void Encode(ReadOnlySpan<int> entries, ReadOnlySpan<float> scores, Span<long> keys)
    {
        for (var i = 0; i < entries.Length; i++)
        {
            var z = (ulong)seed + ((ulong)entries[i] + 1) * 0x9E3779B97F4A7C15;
            z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
            z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
            keys[i] = (long)(z ^ (z >> 31));
        }
    }
}

/// <summary>Order by the distance from a point.</summary>
internal sealed class DistanceSort(ColumnReader points, HaversineDistance from, double roundTo) : SortSource
{
    public override void Encode(ReadOnlySpan<int> entries, ReadOnlySpan<float> scores, Span<long> keys)
    {
        for (var i = 0; i < entries.Length; i++)
        {
            if (!points.TryGet(entries[i], out var code))
            {
                keys[i] = Missing;
                continue;
            }

            var (latitude, longitude) = PointCode.ToPoint((ulong)code);
            keys[i] =
                roundTo > 0
                    ? (long)Math.Floor(from.Meters(latitude, longitude) / roundTo)
                    : BitConverter.DoubleToInt64Bits(from.SortKey(latitude, longitude));
        }
    }
}
