namespace Pipeline.Indexing;

/// <summary>No entry.</summary>
internal sealed class NoneStep(QueryExecution execution, string detail) : QueryStep(execution, "none", detail)
{
    public override long Estimate => 0;

    public override bool CountsWithoutReading => true;

    public override long? Count() => 0;

    protected override EntryIterator OpenEntries() => new EmptyIterator();
}
