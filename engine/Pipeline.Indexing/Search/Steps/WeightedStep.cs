namespace Pipeline.Indexing;

/// <summary>The entries of a step, their scores multiplied, or all with the same one.</summary>
internal sealed class WeightedStep(QueryExecution execution, QueryStep inner, float factor, bool constant)
    : QueryStep(
        execution,
        constant ? "constant score" : "boost",
        factor.ToString("R", System.Globalization.CultureInfo.InvariantCulture)
    )
{
    public override long Estimate => inner.Estimate;

    public override long AtLeast => inner.AtLeast;

    public override bool IsConstant => constant || inner.IsConstant;

    public override IReadOnlyList<QueryStep> Steps => [inner];

    public override long? Count() => inner.Count();

    public override EntryProbe? OpenProbe() => inner.OpenProbe();

    public override void AddTo(EntrySet set) => inner.AddTo(set);

    public override Explanation? Explain(int entry, float boost)
    {
        if (inner.Explain(entry, constant ? 1 : boost * factor) is not { } explanation)
            return null;
        return constant ? new Explanation(boost * factor, "constant score", [explanation]) : explanation;
    }

    protected override EntryIterator OpenEntries() => inner.Open();

    protected override Scorer OpenScores(float boost) =>
        constant ? new ConstantScorer(inner.Open(), boost * factor) : inner.OpenOutermost(boost * factor);
}
