using Pipeline.Client;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Tests.Guides;

/// <summary>What docs/guides/documents.md shows.</summary>
public sealed class DocumentGuideTests
{
    [Fact]
    public async Task Objects_are_stored_loaded_and_queried()
    {
        using var folder = new TestFolder();
        var path = folder.Path;
        // begin-snippet: store-and-query
        await using var store = EmbeddedStore.Open(path);
        await using (var session = store.OpenSession())
        {
            session.Store(
                new Order
                {
                    Customer = "Ann",
                    Total = 120m,
                    Lines = [new Line("tea", 8m, 15)],
                }
            );
            await session.SaveChangesAsync();
        }

        await using (var session = store.OpenSession())
        {
            var large = await session
                .Query<Order>()
                .Where(o => o.Total > 100 && o.Lines.Any(l => l.Product == "tea"))
                .OrderByDescending(o => o.Total)
                .ToListAsync();
            large[0].State = OrderState.Paid;
            await session.SaveChangesAsync();
        }
        // end-snippet
        await using (var session = store.OpenSession())
        {
            // begin-snippet: groups
            var customers = await session
                .Query<Order>()
                .GroupBy(o => o.Customer)
                .Select(g => new
                {
                    Customer = g.Key,
                    Orders = g.Count(),
                    Sum = g.Sum(o => o.Total),
                })
                .OrderByDescending(c => c.Sum)
                .ToListAsync();
            // end-snippet
            Assert.Equal("{ Customer = Ann, Orders = 1, Sum = 120 }", Assert.Single(customers).ToString());
            Assert.Equal(OrderState.Paid, (await session.LoadAsync<Order>("orders/1-A"))!.State);
        }

        // begin-snippet: bulk-insert
        await using (var insert = store.BulkInsert())
        {
            for (var n = 0; n < 10_000; n++)
                await insert.StoreAsync(new Order { Customer = $"customer {n % 100}", Total = n });
        }
        // end-snippet
        await using (var session = store.OpenSession())
            Assert.Equal(10_001, await session.Query<Order>().CountAsync());
    }

    // begin-snippet: classes
    public enum OrderState
    {
        Open,
        Paid,
    }

    public sealed record Line(string Product, decimal Price, int Quantity);

    public sealed class Order
    {
        public string? Id { get; set; }
        public required string Customer { get; set; }
        public decimal Total { get; set; }
        public OrderState State { get; set; }
        public List<Line> Lines { get; set; } = [];
    }
    // end-snippet
}
