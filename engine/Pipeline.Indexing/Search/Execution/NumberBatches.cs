namespace Pipeline.Indexing;

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
