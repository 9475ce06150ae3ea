namespace Pipeline.Indexing;

/// <summary>Entries in any order, each once, many at a time. One thread at a time.</summary>
internal abstract class EntryBatches
{
    /// <summary>Copies the next entries, as many as there is room for or fewer.</summary>
    /// <returns>How many; 0 at the end.</returns>
    public abstract int Fill(Span<int> entries);
}

/// <summary>The entries of an iterator.</summary>
internal sealed class RisingBatches(EntryIterator entries) : EntryBatches
{
    public override int Fill(Span<int> into) => entries.Fill(into);
}

/// <summary>The entries of a range of numbers, in the order of the numbers.</summary>
internal sealed class NumberBatches(NumericCursor cursor, NumericKey low, NumericKey high) : EntryBatches
{
    private bool _begun;

    public override int Fill(Span<int> entries)
    {
        if (!_begun)
        {
            _begun = true;
            if (!cursor.Seek(low))
                return 0;
        }

        return cursor.FillUpTo(high, entries);
    }
}
