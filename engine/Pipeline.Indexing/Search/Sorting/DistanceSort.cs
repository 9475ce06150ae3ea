namespace Pipeline.Indexing;

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
