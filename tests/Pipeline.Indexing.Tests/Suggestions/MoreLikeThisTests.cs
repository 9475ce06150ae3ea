using System.Text;
using Pipeline.Indexing.Analysis;
using Pipeline.Indexing.Suggestions;
using Xunit;

namespace Pipeline.Indexing.Tests.Suggestions;

public sealed class MoreLikeThisTests
{
    private const string Text = "storm storm storm sea sea sea sea the the the the the ship ship harbour";

    private static readonly MoreLikeThisOptions All = new() { MinimumTermFrequency = 1, MinimumDocumentFrequency = 1 };

    /// <summary>How many of 1,000 entries have a term.</summary>
    private static readonly Dictionary<string, int> Frequencies = new()
    {
        ["storm"] = 9,
        ["sea"] = 99,
        ["the"] = 999,
        ["ship"] = 49,
        ["harbour"] = 4,
    };

    [Fact]
    public void Terms_are_ranked_by_frequency_in_the_text_and_rarity_in_the_index()
    {
        // storm 3 (ln 100 + 1) = 16.8, sea 4 (ln 10 + 1) = 13.2, ship 2 (ln 20 + 1) = 8.0, harbour ln 200 + 1 = 6.3,
        // the 5 (ln 1 + 1) = 5.
        Assert.Equal("storm sea ship harbour the", Pick(All));
        Assert.Equal("storm sea", Pick(All with { MaximumQueryTerms = 2 }));
    }

    [Fact]
    public void The_defaults_leave_out_what_is_once_in_the_text_or_in_few_entries() =>
        Assert.Equal("storm sea ship the", Pick(new MoreLikeThisOptions()));

    [Fact]
    public void Frequencies_in_the_index_have_bounds()
    {
        Assert.Equal("storm sea ship the", Pick(All with { MinimumDocumentFrequency = 5 }));
        Assert.Equal("storm ship harbour", Pick(All with { MaximumDocumentFrequency = 49 }));
        Assert.Equal("storm sea ship harbour", Pick(All with { MaximumDocumentFrequencyPercentage = 10 }));
    }

    [Fact]
    public void Terms_have_bounds_of_length_and_stop_words()
    {
        Assert.Equal("storm ship harbour", Pick(All with { MinimumWordLength = 4 }));
        Assert.Equal("sea ship the", Pick(All with { MaximumWordLength = 4 }));
        Assert.Equal("storm ship harbour", Pick(All with { StopWords = new StopWords(["The", "sea"]) }));
    }

    [Fact]
    public void A_term_that_no_entry_has_is_not_looked_for() =>
        Assert.Equal(
            "storm sea ship harbour the",
            Pick(All with { MinimumDocumentFrequency = 0 }, Text + " unheard unheard unheard")
        );

    [Fact]
    public void Only_so_many_tokens_are_read() =>
        Assert.Equal("storm sea", Pick(All with { MaximumNumberOfTokensParsed = 7 }));

    [Fact]
    public void A_boost_weighs_terms_against_the_best()
    {
        var terms = Terms(All with { Boost = true, BoostFactor = 3, MaximumQueryTerms = 2 }, Text);
        Assert.Equal(3, terms[0].Weight);
        Assert.Equal(3 * 4 * (Math.Log(10) + 1) / (3 * (Math.Log(100) + 1)), terms[1].Weight, 5);
        Assert.All(Terms(All, Text), t => Assert.Equal(1, t.Weight));
    }

    [Fact]
    public void Fields_count_for_themselves_and_may_be_chosen()
    {
        Assert.Equal(["Title", "Text"], Both(All).Select(t => t.Field));
        Assert.Equal(["Text"], Both(All with { Fields = ["Text"] }).Select(t => t.Field));

        static IReadOnlyList<MoreLikeThisTerm> Both(MoreLikeThisOptions options)
        {
            var like = new MoreLikeThis(options);
            like.Add("Title", Analyzers.Standard, "storm storm"u8);
            like.Add("Text", Analyzers.Standard, "storm"u8);
            return like.Pick(1000, (_, _) => 9);
        }
    }

    [Fact]
    public void The_query_is_for_any_of_the_terms_with_their_weights()
    {
        var query = Assert.IsType<BooleanQuery>(
            MoreLikeThis.ToQuery([new("Text", "storm"u8.ToArray(), 1), new("Text", "sea"u8.ToArray(), 0.5f)])
        );
        Assert.Equal("storm", Encoding.UTF8.GetString(Assert.IsType<TermQuery>(query.Should[0]).Term.Span));
        var boost = Assert.IsType<BoostQuery>(query.Should[1]);
        Assert.Equal(0.5f, boost.Factor);
        Assert.Equal("sea", Encoding.UTF8.GetString(Assert.IsType<TermQuery>(boost.Inner).Term.Span));
        Assert.Equal(NoneQuery.Instance, MoreLikeThis.ToQuery([]));
    }

    private static string Pick(MoreLikeThisOptions options, string text = Text) =>
        string.Join(' ', Terms(options, text).Select(t => Encoding.UTF8.GetString(t.Term.Span)));

    private static IReadOnlyList<MoreLikeThisTerm> Terms(MoreLikeThisOptions options, string text)
    {
        var like = new MoreLikeThis(options);
        like.Add("Text", Analyzers.Standard, Encoding.UTF8.GetBytes(text));
        return like.Pick(1000, (_, term) => Frequencies.GetValueOrDefault(Encoding.UTF8.GetString(term)));
    }
}
