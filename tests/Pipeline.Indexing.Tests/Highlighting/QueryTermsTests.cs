using Pipeline.Indexing.Analysis;
using Pipeline.Indexing.Highlighting;
using Xunit;

namespace Pipeline.Indexing.Tests.Highlighting;

/// <summary>The highlighter marks in a field exactly the words that the query looks for in it.</summary>
public sealed class QueryTermsTests
{
    private const string Text = "The quick brown fox jumps over the lazy dog";

    private static readonly HighlightOptions Brackets = new()
    {
        FragmentLength = 100,
        FragmentCount = 1,
        PreTags = ["["],
        PostTags = ["]"],
    };

    public static TheoryData<Query, string> Queries =>
        new()
        {
            { new TermQuery("Text", "fox"), "fox" },
            { new TermQuery("Other", "fox"), "" },
            { new BoostQuery(new ConstantScoreQuery(new TermQuery("Text", "fox")), 2), "fox" },
            { new InQuery("Text", ["fox"u8.ToArray(), "dog"u8.ToArray()]), "fox dog" },
            { new AllInQuery("Text", ["fox"u8.ToArray(), "dog"u8.ToArray()]), "fox dog" },
            { new PhraseQuery("Text", "the", "lazy"), "the lazy" },
            { new PrefixQuery("Text", "qu"), "quick" },
            { new SuffixQuery("Text", "own"), "brown" },
            { new WildcardQuery("Text", "?o*"), "fox dog" },
            { new RegexQuery("Text", "^l.*y$"), "lazy" },
            { new FuzzyQuery("Text", "dig", 1), "dog" },
            { new TermRangeQuery("Text", "fox"u8.ToArray(), "lazy"u8.ToArray(), IncludeHigh: false), "fox jumps" },
            { new TermRangeQuery("Text", "q"u8.ToArray(), null), "The quick the" },
            {
                new BooleanQuery
                {
                    Must = [new TermQuery("Text", "fox")],
                    Filter = [new TermQuery("Text", "over")],
                    Should = [new TermQuery("Text", "dog")],
                    MustNot = [new TermQuery("Text", "lazy")],
                },
                "fox over dog"
            },
            { AllQuery.Instance, "" },
        };

    [Theory]
    [MemberData(nameof(Queries))]
    public void What_a_query_looks_for_is_marked(Query query, string marked)
    {
        var fragments = Highlighter.Highlight(
            [Text],
            Analyzers.Standard,
            HighlightTerms.Of(query, "Text"),
            Brackets,
            new TokenBuffer()
        );
        var found = fragments.SelectMany(f => f.Split('[').Skip(1)).Select(p => p.Split(']')[0]);
        Assert.Equal(marked, string.Join(' ', found));
    }
}
