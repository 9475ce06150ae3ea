namespace Pipeline.Indexing;

/// <summary>The entries of one posting list.</summary>
internal sealed class TermStep(
    QueryExecution execution,
    string operation,
    IndexField field,
    TermHandle term,
    string detail,
    bool scored
) : QueryStep(execution, operation, detail)
{
    public override long Estimate => term.DocumentFrequency;

    public override bool IsQuickSet => true;

    public override long AtLeast => Math.Max(0, term.DocumentFrequency - Execution.DeletedCount);

    public override bool IsConstant => !scored;

    public override bool CountsWithoutReading => Execution.DeletedCount == 0;

    /// <summary>The list.</summary>
    public TermHandle Term => term;

    public override long? Count()
    {
        if (Execution.DeletedCount == 0)
            return term.DocumentFrequency;
        var set = Execution.NewSet(Operation);
        AddTo(set);
        return Execution.CountLive(set);
    }

    public override EntryProbe? OpenProbe() => new PostingProbe(Execution, term);

    public override void AddTo(EntrySet set) => Execution.AddTo(term, set);

    public override Explanation? Explain(int entry, float boost)
    {
        if (!scored)
            return base.Explain(entry, boost);
        var postings = Execution.Open(term);
        return postings.SkipTo(entry) == entry
            ? FieldScoring
                .Of(Execution, field, [term], boost)
                .Explain(postings.Frequency, entry, $"{Operation} {Detail}")
            : null;
    }

    protected override EntryIterator OpenEntries() => Execution.Open(term);

    protected override Scorer OpenScores(float boost)
    {
        if (!scored)
            return base.OpenScores(boost);
        var scoring = FieldScoring.Of(Execution, field, [term], boost);
        return new TermScorer(Execution.Open(term), scoring.Weight, scoring.Lengths);
    }
}
