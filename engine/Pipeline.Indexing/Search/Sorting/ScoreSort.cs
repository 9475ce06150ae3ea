namespace Pipeline.Indexing;

/// <summary>Order by score.</summary>
internal sealed class ScoreSort : SortSource
{
    public override void Encode(ReadOnlySpan<int> entries, ReadOnlySpan<float> scores, Span<long> keys)
    {
        for (var i = 0; i < entries.Length; i++)
            keys[i] = BitConverter.SingleToInt32Bits(scores[i] + 0f);
    }
}
