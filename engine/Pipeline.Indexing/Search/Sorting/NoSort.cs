namespace Pipeline.Indexing;

/// <summary>All are equal: the order by a field that the index does not have.</summary>
internal sealed class NoSort : SortSource
{
    public override void Encode(ReadOnlySpan<int> entries, ReadOnlySpan<float> scores, Span<long> keys) =>
        keys[..entries.Length].Fill(Missing);
}
