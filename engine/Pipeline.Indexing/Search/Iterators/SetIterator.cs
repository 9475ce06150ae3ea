namespace Pipeline.Indexing;

/// <summary>Rising entries of a set that can test any entry at any time.</summary>
internal abstract class SetIterator : EntryIterator
{
    /// <summary>Whether it has the entry, wherever it stands.</summary>
    public abstract bool Contains(int entry);
}
