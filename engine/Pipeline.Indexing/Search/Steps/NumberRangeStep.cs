namespace Pipeline.Indexing;

/// <summary>Entries with a number from one to another, both included.</summary>
internal sealed class NumberRangeStep(QueryExecution execution, NumericReader numbers, NumericKey low, NumericKey high, string detail)
    : ListStep(execution, "range", detail)
{
    public override long Estimate { get; } = numbers.Count(low, high);

    protected override bool HasRepeats => numbers.HasMultiple;

    protected override void AddEntries(EntrySet set) => numbers.SetBits(low, high, set.Words);

    protected override EntryBatches OpenBatches() => new NumberBatches(Execution.Cursor(numbers), low, high);
}
