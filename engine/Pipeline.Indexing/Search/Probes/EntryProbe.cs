namespace Pipeline.Indexing;

/// <summary>Tells of one entry after the other, in any order, whether a step has it. One thread at a time.</summary>
internal abstract class EntryProbe
{
    /// <summary>Whether the step has the entry; of deleted ones it may say anything.</summary>
    public abstract bool Contains(int entry);
}
