namespace Pipeline.Indexing;

/// <summary>
/// Entries that come in no order, such as those of a range of numbers. It gives them unsorted, sorted, or as a set,
/// whichever is asked for.
/// </summary>
internal abstract class ListStep(QueryExecution execution, string operation, string detail)
    : QueryStep(execution, operation, detail)
{
    private const int SetWorth = 64;

    private EntrySet? _set;

    /// <summary>Whether an entry may come more than once.</summary>
    protected abstract bool HasRepeats { get; }

    public override long? Count() => HasRepeats ? Execution.CountLive(Set()) : Estimate;

    public override bool CountsWithoutReading => !HasRepeats;

    public override bool IsQuickSet => true;

    public override long AtLeast => HasRepeats ? 0 : Estimate;

    public override void AddTo(EntrySet set)
    {
        if (_set is { } known)
            set.Or(known);
        else
            AddEntries(set);
    }

    public override EntryBatches OpenUnordered() =>
        HasRepeats || Execution.Options.Timings ? base.OpenUnordered() : OpenBatches();

    protected override EntryIterator OpenEntries()
    {
        if (IsFew)
            return new SortedIterator(Sorted());
        return new BitmapIterator(Set(), Estimate);
    }

    /// <summary>Puts all entries into a set.</summary>
    protected abstract void AddEntries(EntrySet set);

    /// <summary>The entries as they come.</summary>
    protected abstract EntryBatches OpenBatches();

    /// <summary>Whether the entries are so few that they are better sorted than put into a set.</summary>
    public bool IsFew => _set is null && !HasRepeats && Estimate * SetWorth < Execution.Entries;

    /// <summary>The entries as a set, made once.</summary>
    public EntrySet Set()
    {
        if (_set is { } known)
            return known;
        var set = Execution.NewSet(Operation);
        AddEntries(set);
        return _set = set;
    }

    private ReadOnlyMemory<int> Sorted()
    {
        var batches = OpenBatches();
        Execution.Memory.Reserve(Estimate * sizeof(int), Operation);
        var entries = new int[Estimate];
        var count = 0;
        for (int filled; count < entries.Length && (filled = batches.Fill(entries.AsSpan(count))) > 0; )
            count += filled;
        Array.Sort(entries, 0, count);
        return entries.AsMemory(0, count);
    }
}
