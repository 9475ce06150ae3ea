using Pipeline.Database.Indexes;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Indexing;
using Pipeline.Yaml;

namespace Pipeline.Configuration;

/// <summary>Options of one field of an index.</summary>
public sealed class IndexFieldConfiguration
{
    /// <summary>What strings become.</summary>
    [Setting(
        "How strings are indexed. default: one lower-case term. exact: one unchanged term. search: the analyzer's words. no: not at all."
    )]
    public TermForm Indexing { get; init; }

    /// <summary>The analyzer's name.</summary>
    [Setting(
        "Analyzer of the field, which is then searched by words: standard, english, simple, stop, whitespace, keyword, ngram."
    )]
    public string? Analyzer { get; init; }

    /// <summary>Whether values are stored.</summary>
    [Setting("Whether the field's values are stored in the index, for projections.")]
    public bool Stored { get; init; }

    /// <summary>The factor of scores.</summary>
    [Setting("Factor of the field's scores, 0 or more.")]
    public double Boost { get; init; } = 1;

    /// <summary>As what results are ordered by it.</summary>
    [Setting("How order by compares the field if the query does not say: string, long, double, alphaNumeric.")]
    public OrderType Sort { get; init; }

    /// <summary>The definition's part.</summary>
    public IndexFieldDefinition ToDefinition() =>
        new()
        {
            Indexing =
                Indexing == TermForm.Default
                    ? Analyzer is null
                        ? null
                        : TermForm.Search
                    : Indexing,
            Analyzer = Analyzer,
            Stored = Stored,
            Boost = Boost == 1 ? null : (float)Boost,
            Sort = Sort == OrderType.Unspecified ? null : Sort,
        };
}
