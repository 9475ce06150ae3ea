namespace Pipeline.Indexing;

/// <summary>The entries of a step, the score of each multiplied by its number in a column.</summary>
internal sealed class EntryBoostStep(QueryExecution execution, QueryStep inner, IndexField field)
    : QueryStep(execution, "entry boost", field.Name)
{
    public override long Estimate => inner.Estimate;

    public override long AtLeast => inner.AtLeast;

    public override bool IsConstant => false;

    public override IReadOnlyList<QueryStep> Steps => [inner];

    public override long? Count() => inner.Count();

    public override EntryProbe? OpenProbe() => inner.OpenProbe();

    public override void AddTo(EntrySet set) => inner.AddTo(set);

    public override Explanation? Explain(int entry, float boost)
    {
        if (inner.Explain(entry, boost) is not { } explanation)
            return null;
        var factor = new EntryFactors(Execution, field)[entry];
        return new Explanation(
            explanation.Value * factor,
            $"boost of the entry in {field.Name} * score",
            [new Explanation(factor, "boost of the entry"), explanation]
        );
    }

    protected override EntryIterator OpenEntries() => inner.Open();

    protected override Scorer OpenScores(float boost) =>
        new EntryBoostScorer(inner.OpenScorer(boost), new EntryFactors(Execution, field));
}
