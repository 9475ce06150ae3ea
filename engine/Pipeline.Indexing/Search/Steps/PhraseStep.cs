namespace Pipeline.Indexing;

/// <summary>Entries in which terms stand at given distances.</summary>
internal sealed class PhraseStep(
    QueryExecution execution,
    IndexField field,
    TermHandle[] terms,
    (int Cursor, int Offset)[] places,
    int slop,
    string detail
) : QueryStep(execution, "phrase", detail)
{
    // Of entries with all terms, as many have the phrase as would if words followed each other by chance, but not fewer
    // than a tenth.
    public override long Estimate
    {
        get
        {
            var least = long.MaxValue;
            foreach (ref readonly var term in terms.AsSpan())
                least = Math.Min(least, term.DocumentFrequency);
            return Math.Max(1, least / 10);
        }
    }

    public override bool IsConstant => false;

    public override Explanation? Explain(int entry, float boost)
    {
        var scorer = Open(boost);
        return scorer.SkipTo(entry) == entry
            ? FieldScoring.Of(Execution, field, terms, boost).Explain(scorer.Frequency, entry, $"phrase {Detail}")
            : null;
    }

    protected override EntryIterator OpenEntries() => Open(1);

    protected override Scorer OpenScores(float boost) => Open(boost);

    private PhraseScorer Open(float boost)
    {
        var scoring = FieldScoring.Of(Execution, field, terms, boost);
        var cursors = new PostingCursor[terms.Length];
        for (var i = 0; i < cursors.Length; i++)
            cursors[i] = Execution.Open(terms[i]);
        return new PhraseScorer(cursors, places, slop, scoring.Weight, scoring.Lengths);
    }
}
