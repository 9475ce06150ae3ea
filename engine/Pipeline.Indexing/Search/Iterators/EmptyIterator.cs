namespace Pipeline.Indexing;

/// <summary>No entries.</summary>
internal sealed class EmptyIterator : EntryIterator
{
    public override long Cost => 0;

    public override int Next() => Current = End;

    public override int SkipTo(int target) => Current = End;
}
