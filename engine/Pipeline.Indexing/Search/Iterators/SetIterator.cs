namespace Pipeline.Indexing;

/// <summary>Rising entries of something that can tell of any entry whether it has it, at any time.</summary>
internal abstract class SetIterator : EntryIterator
{
    /// <summary>Whether it has the entry, wherever it stands.</summary>
    public abstract bool Contains(int entry);
}
