using System.Text;
using Pipeline.Database.Queries;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Database.Queries.Language;
using Pipeline.Indexing;
using Xunit;

namespace Pipeline.Database.Tests.Queries;

/// <summary>Parts of an answer beside its documents: includes, totals, scores, distances, highlights.</summary>
public sealed partial class QueryRunnerTests
{
    [Fact]
    public async Task Includes_are_given_once_and_from_the_same_snapshot()
    {
        var result = await Run("from Orders where Paid = true include Company, 'Lines[].Product'");
        Assert.Equal(
            "companies/1 companies/9 p/1 p/3",
            string.Join(' ', result.Includes.Keys.Order(StringComparer.Ordinal))
        );
        Assert.Equal("Berlin", result.Includes["companies/1"]!.Body.Root["City"].GetString());
        Assert.Null(result.Includes["companies/9"]);
        Assert.Equal(["Company", "Lines[].Product"], result.IncludedPaths);
    }

    [Fact]
    public async Task Totals_are_of_all_pages()
    {
        Assert.Equal((4, true), Total(await Run("from Orders limit 1")));
        Assert.Equal((3, true), Total(await Run("from Orders where Paid = true limit 1")));
        Assert.Equal((2, true), Total(await Run("from Orders filter Total > 15")));
        Assert.Equal((1, false), Total(await Run("from Orders filter Total > 15 limit 1")));
        var limited = await Run("from Orders where Paid = true filter Total > 15 filter_limit 2");
        Assert.Equal((1, false, 2L), (limited.Total, limited.IsTotalExact, limited.Scanned));
    }

    [Fact]
    public async Task A_document_with_several_entries_is_one_result()
    {
        Define();
        var result = await Run("from index 'Orders/Lines' where Price > 0");
        Assert.Equal("1 2 3", Ids(result));
        Assert.Equal(2, result.Skipped);
        Assert.Equal("3", Ids(await Run("from index 'Orders/Lines' where Price > 0 limit 2, 1")));
        Assert.Equal(
            "1 2 3",
            Ids(await Run("from index 'Orders/Lines' where Price > 0 order by Price as double desc limit 3"))
        );
        Assert.Equal(5, (await Run("from index 'Orders/Lines' where Price > 0 select Price")).Items.Count);
    }

    [Fact]
    public async Task Scores_explanations_timings_and_plan_are_given_where_they_are_asked_for()
    {
        var result = await Run("from Orders where search(Note, 'red') include explanations(), timings()");
        Assert.All(result.Items, i => Assert.True(i.Score > 0));
        Assert.Equal(
            result.Items.Select(i => (float)i.Score!.Value),
            result.Items.Select(i => result.Explanations[i.Id!].Value)
        );
        Assert.True(result.HasTimings);
        Assert.NotNull(result.Plan!.Elapsed);
        var plain = await Run("from Orders where City = 'Oslo'");
        Assert.Null(plain.Items[0].Score);
        Assert.Null(plain.Plan!.Elapsed);
    }

    [Fact]
    public async Task Results_ordered_by_distance_have_it()
    {
        var result = await Run(
            "from Orders order by spatial.distance(spatial.point(Lat, Lon), spatial.point(59.9, 10.7))"
        );
        Assert.Equal([0, 3, 304, 412], result.Items.Select(i => (int)Math.Round(i.DistanceMeters!.Value / 1000)));
        Assert.Null((await Run("from Orders where City = 'Oslo'")).Items[0].DistanceMeters);
    }

    [Fact]
    public async Task An_ETag_changes_with_what_it_stands_for()
    {
        var request = new QueryRequest("from Orders where City = 'Oslo'");
        var first = await _runner.RunAsync(request);
        var second = await _runner.RunAsync(request with { IfNoneMatch = first.ETag });
        Assert.True(second.IsNotModified);
        Assert.Empty(second.Items);
        await Put("orders/5", """{"City":"Oslo","@metadata":{"@collection":"Orders"}}""");
        var third = await _runner.RunAsync(request with { IfNoneMatch = first.ETag });
        Assert.False(third.IsNotModified);
        Assert.Equal(3, third.Items.Count);
        var all = await _runner.RunAsync(new QueryRequest("from Orders"));
        Assert.True((await _runner.RunAsync(new QueryRequest("from Orders") { IfNoneMatch = all.ETag })).IsNotModified);
    }

    [Fact]
    public async Task Staleness_and_the_wait_go_through()
    {
        _catalog.Lag = 7;
        var wait = new IndexWait(TimeSpan.FromSeconds(3), 12);
        var result = await _runner.RunAsync(new QueryRequest("from Orders where City = 'Oslo'") { Wait = wait });
        Assert.Equal((true, 7L, "Auto/Orders"), (result.Lag.IsStale, result.Lag.Changes, result.IndexName));
        Assert.Equal(wait, _catalog.LastWait);
        Assert.Equal("collection/Orders", (await Run("from Orders")).IndexName);
        Assert.Equal("AllDocs", (await Run("from @all_docs")).IndexName);
    }

    [Fact]
    public async Task Highlights_mark_what_was_found()
    {
        var result = await Run(
            "from Orders as o where search(o.Note, 'red \"the fox\" hou*') include highlight(o.Note, 40, 1, '{\"PreTags\":[\"<\"],\"PostTags\":[\">\"]}')"
        );
        var notes = result.Highlights["Note"];
        Assert.Equal("A <red> FOX jumps", notes["orders/1"].Single());
        Assert.Equal("<the> <fox> is <red> <red> <red>", notes["orders/2"].Single());
        Assert.Equal("foxes and <hounds>", notes["orders/3"].Single());
        Assert.Empty((await Run("from Orders where City = 'Oslo'")).Highlights);
    }

    [Fact]
    public async Task More_like_this_finds_what_shares_telling_words()
    {
        Define();
        var result = await Run(
            "from index 'Orders/Text' where moreLikeThis(id() = 'orders/1', '{\"MinimumTermFrequency\":1,\"MinimumDocumentFrequency\":1}') order by id()"
        );
        Assert.Equal("2 4", Ids(result));
        Assert.Equal(
            "1 2 4",
            Ids(
                await Run(
                    "from index 'Orders/Text' where moreLikeThis('{\"Note\":\"red\"}', '{\"MinimumTermFrequency\":1,\"MinimumDocumentFrequency\":1,\"Fields\":[\"Note\"]}') order by id()"
                )
            )
        );
        Assert.Equal(
            "4",
            Ids(
                await Run(
                    "from index 'Orders/Text' where moreLikeThis(No = 1, '{\"MinimumTermFrequency\":1,\"MinimumDocumentFrequency\":1}') and City = 'århus'"
                )
            )
        );
        Assert.Equal("", Ids(await Run("from index 'Orders/Text' where moreLikeThis(id() = 'orders/77')")));
    }

    [Fact]
    public async Task An_intersection_joins_entries_of_one_document()
    {
        Define();
        Assert.Equal("3", Ids(await Run("from index 'Orders/Lines' where intersect(Price < 4, Price = 4)")));
        Assert.Equal("", Ids(await Run("from index 'Orders/Lines' where Price < 4 and Price = 4")));
        Assert.Equal(
            "2",
            Ids(
                await Run(
                    "from index 'Orders/Lines' where intersect(Price = 5, Price = 7) or (Price = 5 and Price = 7)"
                )
            )
        );
        Assert.Equal("1", Ids(await Run("from Orders where intersect(City = 'Oslo', Total = 10)")));
    }

    [Fact]
    public async Task Random_orders_are_the_same_for_the_same_seed()
    {
        var first = Ids(await Run("from Orders order by random('a')"));
        Assert.Equal(first, Ids(await Run("from Orders order by random('a')")));
        Assert.Contains(
            Enumerable.Range(0, 20),
            i => Ids(Run($"from Orders order by random('{i}')").AsTask().GetAwaiter().GetResult()) != first
        );
    }

    [Fact]
    public async Task Results_stream_one_after_the_other()
    {
        var ids = new List<string?>();
        await foreach (
            var item in _runner.StreamAsync(
                new QueryRequest("from Orders where Paid = true order by Total as double desc")
            )
        )
        {
            ids.Add(item.Id);
        }

        Assert.Equal(["orders/3", "orders/1", "orders/4"], ids);
        using var cancelled = new CancellationTokenSource();
        await cancelled.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
        {
            await foreach (var _ in _runner.StreamAsync(new QueryRequest("from Orders"), cancelled.Token)) { }
        });
    }
}
