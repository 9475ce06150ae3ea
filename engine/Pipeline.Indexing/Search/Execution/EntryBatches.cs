namespace Pipeline.Indexing;

/// <summary>Entries in any order, each once, many at a time. One thread at a time.</summary>
internal abstract class EntryBatches
{
    /// <summary>Copies the next entries, as many as there is room for or fewer.</summary>
    /// <returns>How many; 0 at the end.</returns>
    public abstract int Fill(Span<int> entries);
}
