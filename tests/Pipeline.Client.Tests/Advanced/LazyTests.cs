using Xunit;

namespace Pipeline.Client.Tests.Advanced;

/// <summary>Values that one request fetches, in the process and over HTTP.</summary>
public sealed class LazyTests
{
    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task The_first_value_that_is_awaited_fetches_all(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.StoreOrdersAsync(5);
        await using var session = f.Store.OpenSession();
        var lazily = session.Advanced.Lazily;
        var (one, same, none) = (
            lazily.LoadAsync<Order>("orders/1"),
            lazily.LoadAsync<Order>("ORDERS/1"),
            lazily.LoadAsync<Company>("companies/1")
        );
        var several = lazily.LoadAsync<Order>(["orders/2", "orders/none", "orders/1"]);
        Assert.Equal(0, session.Advanced.RequestCount);
        Assert.False(one.IsFetched);
        Assert.Equal(1, (await one)!.Total);
        Assert.Equal(1, session.Advanced.RequestCount);
        Assert.True(same.IsFetched);
        Assert.Same(await one, await same);
        Assert.Null(await none);
        var found = await several;
        Assert.Equal(2, found["orders/2"]!.Total);
        Assert.Null(found["orders/none"]);
        Assert.Same(await one, found["orders/1"]);
        Assert.Same(await one, await session.LoadAsync<Order>("orders/1"));
        Assert.Same(await one, await lazily.LoadAsync<Order>("orders/1"));
        Assert.Equal(1, session.Advanced.RequestCount);
        (await one)!.Count = 7;
        await session.SaveChangesAsync();
        await session.Advanced.ExecuteAllPendingAsync();
        Assert.Equal(2, session.Advanced.RequestCount);
        var cleared = lazily.LoadAsync<Order>("orders/4");
        session.Advanced.Clear();
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await cleared);
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task Loads_and_queries_are_one_request(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.StoreOrdersAsync(10, n => new Order { Total = n, Company = "companies/1" });
        await using (var writer = f.Store.OpenSession())
        {
            writer.Store(new Company("companies/1", "Tea & Co"));
            await writer.SaveChangesAsync();
        }

        await using var session = f.Store.OpenSession();
        var lazily = session.Advanced.Lazily;
        var order = lazily.LoadAsync<Order>("orders/1");
        var missing = lazily.LoadAsync<Order>("orders/none");
        var large = lazily.QueryAsync(
            session.Query<Order>().Where(o => o.Total >= 4).Include(o => o.Company).OrderBy(o => o.Total).Take(2)
        );
        var totals = lazily.QueryAsync(session.Query<Order>().Where(o => o.Total < 3).Select(o => new { o.Total }));
        var raw = lazily.QueryAsync(session.RawQuery<Company>("from Companies where Name = $p0", "Tea & Co"));
        var empty = lazily.QueryAsync(session.Query<Order>().Where(o => new int[0].Contains(o.Count)));
        var wrong = lazily.QueryAsync(session.RawQuery<Company>("form Companies"));
        await session.Advanced.ExecuteAllPendingAsync();
        Assert.True(wrong.IsFetched);
        Assert.Equal(1, (await order)!.Total);
        Assert.Null(await missing);
        Assert.Equal([4m, 5m], (await large).Items.Select(o => o.Total));
        Assert.Equal(6, (await large).Statistics.Total);
        Assert.Equal([0m, 1m, 2m], (await totals).Items.Select(o => o.Total).Order());
        var company = Assert.Single((await raw).Items);
        Assert.Empty((await empty).Items);
        Assert.Contains(
            "form",
            (await Assert.ThrowsAsync<QueryException>(async () => await wrong)).Message,
            StringComparison.Ordinal
        );
        Assert.Same(company, await session.LoadAsync<Company>("companies/1"));
        Assert.Same((await large).Items[0], await session.LoadAsync<Order>("orders/4"));
        Assert.Equal(1, session.Advanced.RequestCount);
        await using var other = f.Store.OpenSession();
        Assert.Throws<ArgumentException>(() => lazily.QueryAsync(other.Query<Order>()));
    }
}
