namespace Pipeline.Indexing;

/// <summary>Rising entries of a set that can test any entry at any time.</summary>
internal abstract class SetIterator : EntryIterator
{
    /// <summary>Whether it has the entry, wherever it stands.</summary>
    public abstract bool Contains(int entry);
}

/// <summary>No entries.</summary>
internal sealed class EmptyIterator : EntryIterator
{
    public override long Cost => 0;

    public override int Next() => Current = End;

    public override int SkipTo(int target) => Current = End;
}
