namespace Pipeline.Indexing;

/// <summary>The entries of an iterator.</summary>
internal sealed class RisingBatches(EntryIterator entries) : EntryBatches
{
    public override int Fill(Span<int> into) => entries.Fill(into);
}
