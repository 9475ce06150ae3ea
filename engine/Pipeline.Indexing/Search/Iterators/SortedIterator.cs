namespace Pipeline.Indexing;

/// <summary>Entries in an array, rising and without repeats.</summary>
internal sealed class SortedIterator(ReadOnlyMemory<int> entries) : EntryIterator
{
    private int _at = -1;

    public override long Cost => entries.Length;

    public override int Next() => _at >= entries.Length ? End : Go(_at + 1);

    public override int SkipTo(int target)
    {
        if (target <= Current)
            return Current;
        // The distance is doubled from where it stands, then halved: skips are mostly short.
        var span = entries.Span;
        var (low, step) = (Math.Max(_at, 0), 1);
        while (low + step < span.Length && span[low + step] < target)
            (low, step) = (low + step, step * 2);
        var high = Math.Min(low + step, span.Length);
        while (low < high)
        {
            var middle = (low + high) >>> 1;
            if (span[middle] < target)
                low = middle + 1;
            else
                high = middle;
        }

        return Go(low);
    }

    public override int Fill(Span<int> into)
    {
        if (_at < 0)
            Go(0);
        var count = Math.Min(into.Length, entries.Length - _at);
        entries.Span.Slice(_at, count).CopyTo(into);
        Go(_at + count);
        return count;
    }

    private int Go(int at) => Current = (_at = at) < entries.Length ? entries.Span[at] : End;
}
