using System.Text;
using Xunit;

namespace Pipeline.Indexing.Tests.Search;

public sealed class FacetTests
{
    [Theory]
    [InlineData(1, false)]
    [InlineData(2, true)]
    public async Task Counts_and_aggregates_are_those_of_the_matching_entries(int seed, bool single)
    {
        using var fixture = await SearchFixture.MakeAsync(seed, documents: 1200, commits: 3, single);
        var (queries, brute) = (new RandomQueries(fixture), new BruteForce(fixture));
        FacetRange[] ranges =
        [
            new("low", NumericKey.Min, NumericKey.From(10)),
            new("middle", NumericKey.From(10), NumericKey.From(100)),
            new("high", NumericKey.From(100), NumericKey.Max, IncludeHigh: true),
        ];
        for (var i = 0; i < 60; i++)
        {
            var query =
                i % 4 == 0 ? AllQuery.Instance
                : i % 4 == 1
                    ? new NumberRangeQuery("Number", fixture.Random.Next(-50, 100), fixture.Random.Next(0, 200))
                : queries.Next(1);
            string[] aggregates = i % 2 == 0 ? [] : ["Price", "Number"];
            var results = fixture.Searcher.CountFacets(
                query,
                [
                    new ValueFacet("Tag") { Aggregates = aggregates },
                    new RangeFacet("Number", ranges) { Aggregates = aggregates },
                    new ValueFacet("Nowhere"),
                ]
            );
            var found = brute.Run(query).Keys.Select(e => fixture.Live[e]).ToList();
            foreach (var value in results[0].Values)
            {
                CheckValue(
                    value,
                    found.Where(d => d.Tags.Contains(Encoding.UTF8.GetString(value.Name.Span))).ToList(),
                    aggregates
                );
            }

            Assert.Equal(
                found.SelectMany(d => d.Tags.OfType<string>().Distinct()).Distinct().Count(),
                results[0].Values.Count
            );
            Assert.Equal(
                ranges.Select(r => r.Name),
                results[1].Values.Select(v => Encoding.UTF8.GetString(v.Name.Span))
            );
            for (var r = 0; r < ranges.Length; r++)
            {
                CheckValue(
                    results[1].Values[r],
                    found.Where(d => d.Numbers.Any(n => ranges[r].Contains(NumericKey.From(n)))).ToList(),
                    aggregates
                );
            }

            Assert.Empty(results[2].Values);
        }
    }

    [Fact]
    public async Task Too_many_ranges_and_too_much_memory_are_refused()
    {
        using var fixture = await SearchFixture.MakeAsync(3, documents: 300, commits: 1);
        var many = new RangeFacet(
            "Number",
            [.. Enumerable.Range(0, 1025).Select(i => new FacetRange("r", NumericKey.From(i), NumericKey.Max))]
        );
        Assert.Equal(
            1024,
            Assert.Throws<QueryLimitException>(() => fixture.Searcher.CountFacets(AllQuery.Instance, [many])).Allowed
        );
        Assert.Equal(
            "facet",
            Assert
                .Throws<QueryLimitException>(() =>
                    fixture.Searcher.CountFacets(
                        AllQuery.Instance,
                        [new ValueFacet("Tag")],
                        new SearchOptions { MaxMemoryBytes = 16 }
                    )
                )
                .Step
        );
    }

    private static void CheckValue(FacetBucket value, List<SearchDocument> documents, string[] aggregates)
    {
        Assert.Equal(documents.Count, value.Count);
        Assert.Equal(aggregates, value.Aggregates.Select(a => a.Field));
        foreach (var aggregate in value.Aggregates)
        {
            double[] numbers =
                aggregate.Field == "Price"
                    ? [.. documents.Where(d => d.Prices.Length > 0).Select(d => d.Prices[0])]
                    : [.. documents.Where(d => d.Numbers.Length > 0).Select(d => (double)d.Numbers[0])];
            Assert.Equal(numbers.Length, aggregate.Count);
            Assert.Equal(numbers.Sum(), aggregate.Sum, 6);
            Assert.Equal(numbers.Length == 0 ? double.NaN : numbers.Average(), aggregate.Average, 6);
            Assert.Equal(numbers.Length == 0 ? double.NaN : numbers.Min(), aggregate.Min);
            Assert.Equal(numbers.Length == 0 ? double.NaN : numbers.Max(), aggregate.Max);
        }
    }
}
