namespace Pipeline.Indexing;

/// <summary>Every entry.</summary>
internal sealed class AllStep(QueryExecution execution) : QueryStep(execution, "all", "")
{
    public override long Estimate => Execution.Reader.LiveCount;

    public override long AtLeast => Execution.Reader.LiveCount;

    public override bool CountsWithoutReading => true;

    public override long? Count() => Execution.Reader.LiveCount;

    public override EntryProbe? OpenProbe() => new AllProbe([], []);

    protected override EntryIterator OpenEntries() => Execution.Reader.OpenAll();
}

/// <summary>No entry.</summary>
internal sealed class NoneStep(QueryExecution execution, string detail) : QueryStep(execution, "none", detail)
{
    public override long Estimate => 0;

    public override bool CountsWithoutReading => true;

    public override long? Count() => 0;

    protected override EntryIterator OpenEntries() => new EmptyIterator();
}
