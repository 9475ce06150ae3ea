using System.Text;
using Pipeline.Indexing.Suggestions;
using Xunit;

namespace Pipeline.Indexing.Tests.Suggestions;

public sealed class SuggestionCollectorTests
{
    /// <summary>Terms with the number of entries that have them.</summary>
    private static readonly (string Term, int Popularity)[] Dictionary =
    [
        ("chai", 5),
        ("chain", 40),
        ("chair", 7),
        ("chang", 9),
        ("char", 40),
        ("chaos", 3),
        ("coffee", 99),
        ("c", 1000),
    ];

    [Fact]
    public void The_most_popular_come_first_then_the_more_similar()
    {
        // Of "chaig": chai, chain, chair 0.8, chang 0.8 by one replacement, char and chaos 0.6.
        Assert.Equal(["chain", "char", "chang", "chair", "chai", "chaos"], Suggest("chaig", new SuggestionOptions()));
    }

    [Fact]
    public void Without_popularity_the_most_similar_come_first() =>
        Assert.Equal(
            ["chain", "chang", "chair", "chai", "char", "chaos"],
            Suggest("chaig", new SuggestionOptions { SortMode = SuggestionSortMode.None })
        );

    [Fact]
    public void A_page_holds_the_most_similar_whatever_the_order() =>
        Assert.Equal(["chain", "chang", "chair"], Suggest("chaig", new SuggestionOptions { PageSize = 3 }));

    [Fact]
    public void Accuracy_is_the_least_similarity()
    {
        Assert.Equal(["chain", "chang", "chair", "chai"], Suggest("chaig", new SuggestionOptions { Accuracy = 0.8f }));
        Assert.Empty(Suggest("chaig", new SuggestionOptions { Accuracy = 0.9f }));
    }

    [Fact]
    public void The_word_itself_is_not_suggested() =>
        Assert.Equal(["chain", "char", "chair"], Suggest("chai", new SuggestionOptions { Accuracy = 0.75f }));

    [Theory]
    [InlineData(0, 0.5f)]
    [InlineData(1025, 0.5f)]
    [InlineData(5, 1.5f)]
    [InlineData(5, float.NaN)]
    public void Options_out_of_range_are_refused(int pageSize, float accuracy) =>
        Assert.Throws<ArgumentOutOfRangeException>(() =>
            Suggest("a", new SuggestionOptions { PageSize = pageSize, Accuracy = accuracy })
        );

    [Fact]
    public void A_term_that_is_not_kept_makes_nothing()
    {
        var collector = new SuggestionCollector("chaig"u8, new SuggestionOptions { Accuracy = 0.9f });
        Offer(collector);
        var before = GC.GetAllocatedBytesForCurrentThread();
        Offer(collector);
        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);

        static void Offer(SuggestionCollector collector)
        {
            collector.Offer("chain"u8, 1);
            collector.Offer("a rather long term that is not like it"u8, 1);
        }
    }

    private static List<string> Suggest(string word, SuggestionOptions options)
    {
        var collector = new SuggestionCollector(Encoding.UTF8.GetBytes(word), options);
        foreach (var (term, popularity) in Dictionary)
            collector.Offer(Encoding.UTF8.GetBytes(term), popularity);
        return [.. collector.ToList().Select(s => s.Term)];
    }
}
