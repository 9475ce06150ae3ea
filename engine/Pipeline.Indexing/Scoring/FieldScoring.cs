using System.Globalization;

namespace Pipeline.Indexing;

/// <summary>The inputs to the scores of a term or phrase in one field.</summary>
internal readonly struct FieldScoring
{
    private readonly FieldStatistics _statistics;
    private readonly float _boost,
        _idf;

    private FieldScoring(FieldLengths lengths, FieldStatistics statistics, float idf, float boost)
    {
        (Lengths, _statistics, _idf, _boost) = (lengths, statistics, idf, boost);
        Weight = new Bm25(boost * idf, (float)statistics.AverageLength);
    }

    /// <summary>The weight.</summary>
    public Bm25 Weight { get; }

    /// <summary>The field's lengths.</summary>
    public FieldLengths Lengths { get; }

    /// <summary>Reads a field's statistics. A phrase weighs as much as its terms together.</summary>
    public static FieldScoring Of(
        QueryExecution execution,
        IndexField field,
        ReadOnlySpan<TermHandle> terms,
        float boost
    )
    {
        var statistics = execution.Reader.GetStatistics(field);
        var idf = 0.0;
        foreach (var term in terms)
            idf += Bm25.Idf(statistics.Entries, term.DocumentFrequency);
        return new FieldScoring(execution.Reader.OpenLengths(field), statistics, (float)idf, boost);
    }

    /// <summary>Why an entry scores as it does.</summary>
    public Explanation Explain(float frequency, int entry, string what)
    {
        var length = Lengths[entry];
        return new Explanation(
            Weight.Score(frequency, length),
            $"{what}: boost * idf * tf",
            [
                new Explanation(_boost, "boost"),
                new Explanation(
                    _idf,
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"idf, sum over terms of ln(1 + (N - n + 0.5) / (n + 0.5)), N = {_statistics.Entries}"
                    )
                ),
                new Explanation(
                    new Bm25(1, (float)_statistics.AverageLength).Score(frequency, length),
                    "tf, f / (f + k1 * (1 - b + b * length / average))",
                    [
                        new Explanation(frequency, "f, occurrences in the entry"),
                        new Explanation(Bm25.K1, "k1"),
                        new Explanation(Bm25.B, "b"),
                        new Explanation(length, "length, tokens of the field in the entry"),
                        new Explanation((float)_statistics.AverageLength, "average length"),
                    ]
                ),
            ]
        );
    }
}
