namespace Pipeline.Indexing;

/// <summary>Entries with a number from one to another, both included.</summary>
internal sealed class NumberRangeStep(
    QueryExecution execution,
    IndexField field,
    NumericReader numbers,
    NumericKey low,
    NumericKey high,
    string detail
) : ListStep(execution, "range", detail)
{
    private long _count = -1;

    /// <summary>The numbers.</summary>
    public NumericReader Numbers => numbers;

    /// <summary>The lower bound.</summary>
    public NumericKey Low => low;

    /// <summary>The upper bound.</summary>
    public NumericKey High => high;

    /// <summary>Counted on first use, because a query that reads all entries in any order does not need it.</summary>
    public override long Estimate => _count >= 0 ? _count : _count = numbers.Count(low, high);

    public override EntryIterator OpenFilter(long lead) =>
        lead < Estimate / 4 && !Execution.Options.Timings && OpenColumn() is { } column
            ? column
            : base.OpenFilter(lead);

    /// <summary>
    /// Opens the entries by way of the field's column. Null if the column has anything but single whole numbers, or if
    /// a bound is beyond the whole numbers that doubles hold exactly.
    /// </summary>
    public ColumnRangeIterator? OpenColumn()
    {
        const double Exact = 1L << 53;
        if (
            numbers.HasMultiple
            || Execution.Reader.OpenColumn(field, ColumnKind.Double) is not null
            || Execution.Reader.OpenColumn(field, ColumnKind.Long) is not { } column
        )
        {
            return null;
        }

        var (from, to) = (low.ToDouble(), high.ToDouble());
        if (low.Low != 0 || high.Low != 0 || !(Math.Abs(from) < Exact && Math.Abs(to) < Exact))
            return null;
        return new ColumnRangeIterator(column, (long)Math.Ceiling(from), (long)Math.Floor(to), Execution.Entries);
    }

    protected override bool HasRepeats => numbers.HasMultiple;

    protected override void AddEntries(EntrySet set) => numbers.SetBits(low, high, set.Words);

    protected override EntryBatches OpenBatches() => new NumberBatches(Execution.Cursor(numbers), low, high);
}
