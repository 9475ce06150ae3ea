using Pipeline.Client;
using Xunit;
using Order = Pipeline.Tests.Guides.DocumentGuideTests.Order;

namespace Pipeline.Tests.Guides;

/// <summary>What docs/guides/indexes.md shows in C#.</summary>
public sealed class IndexGuideTests
{
    // begin-snippet: index
    public sealed record CustomerTotal(string Customer, int Orders, decimal Total);

    public sealed class Orders_ByCustomer : DocumentIndex<Order, CustomerTotal>
    {
        public Orders_ByCustomer()
        {
            Map = orders => from o in orders select new CustomerTotal(o.Customer, 1, o.Total);
            Reduce = results =>
                from r in results
                group r by r.Customer into g
                select new CustomerTotal(g.Key, g.Sum(x => x.Orders), g.Sum(x => x.Total));
        }
    }

    // end-snippet

    [Fact]
    public async Task The_indexes_of_a_program_are_deployed_and_queried()
    {
        await using var store = EmbeddedStore.Open(null);
        await using var session = store.OpenSession();
        foreach ((var customer, var total) in new[] { ("Ann", 80m), ("Bob", 30m), ("Ann", 40m), ("Cid", 500m) })
            session.Store(new Order { Customer = customer, Total = total });
        await session.SaveChangesAsync();
        // begin-snippet: query
        await store.DeployIndexesAsync(typeof(Orders_ByCustomer).Assembly);
        var best = await session
            .Query<CustomerTotal, Orders_ByCustomer>()
            .Where(c => c.Total > 100)
            .OrderByDescending(c => c.Total)
            .ToListAsync();
        // end-snippet
        Assert.Equal([new CustomerTotal("Cid", 1, 500m), new CustomerTotal("Ann", 2, 120m)], best);
    }
}
