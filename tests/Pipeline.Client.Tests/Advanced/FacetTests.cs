using Xunit;

namespace Pipeline.Client.Tests.Advanced;

/// <summary>Counts by values, in the process and over HTTP.</summary>
public sealed class FacetTests
{
    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task Values_and_ranges_are_counted(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.StoreOrdersAsync(
            10,
            n => new Order
            {
                Company = n % 3 == 0 ? "Tea & Co" : "Ann",
                Total = n,
                Count = n % 2,
                Tags = n < 4 ? ["a", "b"] : ["b"],
            }
        );
        await using var session = f.Store.OpenSession();
        var results = await session
            .Query<Order>()
            .Where(o => o.Total > 0)
            .AggregateBy(o => o.Company, options => options.Sum(o => o.Total).Max(o => o.Total).Average(o => o.Count))
            .AndBy(o => o.Tags, options => options.OrderByCountDescending().Take(1).As("top tag"))
            .AndByRanges([o => o.Total < 5, o => o.Total >= 5 && o.Total < 9, o => o.Total > 100])
            .ToResultsAsync();
        Assert.Equal(1, session.Advanced.RequestCount);
        Assert.Equal(["Company", "top tag", "Total"], results.Facets.Select(r => r.Name));
        var companies = results["Company"].Values;
        Assert.Equal([("ann", 6L), ("tea & co", 3L)], companies.Select(v => (v.Range, v.Count)));
        Assert.Equal(new FacetNumbers(27, null, 8, null), companies[0].Numbers["Total"]);
        Assert.Equal(0.5, companies[0].Numbers["Count"].Average);
        Assert.Equal(18, companies[1].Numbers["Total"].Sum);
        Assert.Equal(("b", 9L), results["top tag"].Values is [var top] ? (top.Range, top.Count) : default);
        Assert.Equal((1, 3L), (results["top tag"].RemainingValues, results["top tag"].RemainingCount));
        Assert.Equal([4L, 4L, 0L], results["Total"].Values.Select(v => v.Count));
        Assert.Equal("Total < 5", results["Total"].Values[0].Range);
        Assert.False(results.Statistics.IsStale);
        Assert.Throws<KeyNotFoundException>(() => results["Missing"]);
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task Nothing_found_counts_nothing(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.StoreOrdersAsync(2);
        await using var session = f.Store.OpenSession();
        var none = await session
            .Query<Order>()
            .Where(o => o.Total > 100)
            .AggregateBy(o => o.Count, options => options.Sum(o => o.Total))
            .ToResultsAsync();
        Assert.Empty(none["Count"].Values);
        var ranges = await session
            .Query<Order>()
            .AggregateByRanges([o => o.Count < 5, o => o.Count >= 5])
            .ToResultsAsync();
        Assert.Equal([2L, 0L], ranges["Count"].Values.Select(v => v.Count));
        var never = await session
            .Query<Order>()
            .Where(o => new int[0].Contains(o.Count))
            .AggregateBy(o => o.Count)
            .ToResultsAsync();
        Assert.Empty(never["Count"].Values);
    }

    [Fact]
    public async Task Members_may_have_the_names_of_words()
    {
        await using var f = await ClientFixture.OpenAsync(false);
        await using var session = f.Store.OpenSession();
        session.Store(
            new Words
            {
                Order = 1,
                Select = 2,
                From = 3,
                Group = new Words { Where = 4, In = 5 },
            },
            "words/1"
        );
        await session.SaveChangesAsync();
        var results = await session
            .Query<Words>()
            .Where(w => w.Order == 1)
            .AggregateBy(w => w.Order)
            .AndBy(w => w.Group!.Where, o => o.Sum(w => w.Select).Max(w => w.Group!.In))
            .AndByRanges([w => w.From < 3, w => w.From >= 3])
            .ToResultsAsync();
        Assert.Equal(["Order", "Group.Where", "From"], results.Facets.Select(r => r.Name));
        Assert.Equal(
            (2, 5),
            (
                results["Group.Where"].Values[0].Numbers["Select"].Sum,
                results["Group.Where"].Values[0].Numbers["Group.In"].Max
            )
        );
        Assert.Equal([0L, 1L], results["From"].Values.Select(v => v.Count));
    }

    [Fact]
    public async Task What_has_no_counts_is_refused()
    {
        await using var f = await ClientFixture.OpenAsync(false);
        await f.StoreOrdersAsync(1);
        await using var session = f.Store.OpenSession();
        Assert.Throws<UnsupportedExpressionException>(() =>
            session.Query<Order>().Take(3).AggregateBy(o => o.Count).ToQueryString()
        );
        Assert.Throws<UnsupportedExpressionException>(() =>
            session.Query<Order>().Select(o => o.Company).AggregateBy(o => o!.Length).ToQueryString()
        );
        await Assert.ThrowsAsync<QueryException>(async () =>
            await session.Query<Order>().AggregateByRanges([o => o.Total < 5, o => o.Count < 5]).ToResultsAsync()
        );
    }

    internal sealed class Words
    {
        public int Order { get; set; }

        public int Select { get; set; }

        public int From { get; set; }

        public int Where { get; set; }

        public int In { get; set; }

        public Words? Group { get; set; }
    }
}
