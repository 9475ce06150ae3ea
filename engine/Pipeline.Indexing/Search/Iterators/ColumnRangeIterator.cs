namespace Pipeline.Indexing;

/// <summary>
/// The entries whose whole number in a column is in a range. It looks at one entry after the other, so it is for asking
/// about those that something else has found; it never leads.
/// </summary>
internal sealed class ColumnRangeIterator(ColumnReader column, long low, long high, int entries) : SetIterator
{
    public override long Cost => entries;

    public override bool Contains(int entry) => column.TryGet(entry, out var value) && value >= low && value <= high;

    public override int Next() => Current == End ? End : From(Current + 1);

    public override int SkipTo(int target) => target <= Current ? Current : From(target);

    private int From(int entry)
    {
        while (entry < entries && !Contains(entry))
            entry++;
        return Current = entry < entries ? entry : End;
    }
}
