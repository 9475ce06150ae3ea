using System.Text;
using Pipeline.Database.Indexes;
using Xunit;

namespace Pipeline.Client.Tests;

/// <summary>A query that waits for the writes of others.</summary>
public sealed class WaitTests
{
    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(60);
    private static readonly DocumentStoreOptions NoWait = new() { QueryWait = TimeSpan.Zero };

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task It_waits_for_the_writes_of_others(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote, NoWait);
        // A session is used by one query at a time, and two wait here.
        await using var session = f.Store.OpenSession();
        await using var other = f.Store.OpenSession();
        var query = session.Query<Order>().Where(o => o.Total >= 0);
        var raw = other.RawQuery<Order>("from Orders where Total >= $p0", 0);
        await WriteAsync(f);
        var first = (await query.WaitForNonStaleResults().ToResultsAsync()).Statistics;
        Assert.Equal((1L, false), (first.Total, first.IsStale));

        await f.Database.Indexes.SetStateAsync(first.IndexName, IndexState.Paused);
        await WriteAsync(f);
        var stale = (await query.ToResultsAsync()).Statistics;
        Assert.Equal((1L, true), (stale.Total, stale.IsStale));
        Task<QueryResults<Order>>[] waiting =
        [
            query.WaitForNonStaleResults(Longest).ToResultsAsync().AsTask(),
            raw.WaitForNonStaleResults(Longest).ToResultsAsync().AsTask(),
        ];
        await f.Database.Indexes.SetStateAsync(first.IndexName, IndexState.Normal);
        foreach (var one in waiting)
        {
            var statistics = (await one).Statistics;
            Assert.Equal((2L, false), (statistics.Total, statistics.IsStale));
        }
    }

    [Fact]
    public async Task A_wait_that_is_no_time_is_refused_and_the_text_does_not_change()
    {
        await using var f = await ClientFixture.OpenAsync(isRemote: false, NoWait);
        await using var session = f.Store.OpenSession();
        var query = session.Query<Order>().Where(o => o.Total > 5);
        Assert.Equal(query.ToQueryString(), query.WaitForNonStaleResults().ToQueryString());
        Assert.Throws<ArgumentOutOfRangeException>(() => query.WaitForNonStaleResults(TimeSpan.Zero));
        Assert.Throws<ArgumentOutOfRangeException>(() =>
            session.RawQuery<Order>("from Orders").WaitForNonStaleResults(TimeSpan.FromSeconds(-1))
        );
    }

    private static async Task WriteAsync(ClientFixture f) =>
        await f.Database.PutAsync(
            "orders/",
            Encoding.UTF8.GetBytes("{\"Total\":1,\"@metadata\":{\"@collection\":\"Orders\"}}")
        );
}
