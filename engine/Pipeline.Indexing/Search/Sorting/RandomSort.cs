namespace Pipeline.Indexing;

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
