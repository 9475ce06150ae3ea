using Pipeline.Client;
using Pipeline.Database;
using Pipeline.Documents;
using Xunit;
using ConcurrencyException = Pipeline.Client.ConcurrencyException;
using Line = Pipeline.Tests.Guides.DocumentGuideTests.Line;
using Order = Pipeline.Tests.Guides.DocumentGuideTests.Order;
using OrderState = Pipeline.Tests.Guides.DocumentGuideTests.OrderState;

namespace Pipeline.Tests.Guides;

/// <summary>What docs/guides/session-advanced.md shows.</summary>
public sealed class SessionGuideTests
{
    [Fact]
    public async Task Documents_are_patched()
    {
        await using var store = await OpenAsync();
        // begin-snippet: patches
        await using (var session = store.OpenSession())
        {
            var advanced = session.Advanced;
            advanced.Patch("orders/1", (Order o) => o.State, OrderState.Paid);
            advanced.Increment("orders/1", (Order o) => o.Total, 4.50m);
            advanced.Patch("orders/1", (Order o) => o.Lines, lines => lines.Add(new Line("milk", 4.50m, 1)));
            advanced.Patch("orders/2", "this.Total *= args.factor", new { factor = 2 });
            await session.SaveChangesAsync();
        }
        // end-snippet
        await using (var session = store.OpenSession())
        {
            var first = (await session.LoadAsync<Order>("orders/1"))!;
            Assert.Equal((OrderState.Paid, 124.50m, 2), (first.State, first.Total, first.Lines.Count));
            Assert.Equal(20m, (await session.LoadAsync<Order>("orders/2"))!.Total);
        }

        // begin-snippet: patch-by-query
        var cheaper = await store.PatchByQueryAsync(
            "from Orders where Total > $p0 update { this.Total -= args.p1 }",
            [100, 5]
        );
        var gone = await store.DeleteByQueryAsync("from Orders where Total < $p0", [50]);
        // end-snippet
        Assert.Equal((1, 1), (cheaper, gone));
    }

    [Fact]
    public async Task Files_belong_to_documents()
    {
        await using var store = await OpenAsync();
        var bytes = "scanned"u8.ToArray();
        using var copy = new MemoryStream();
        // begin-snippet: attachments
        await using (var session = store.OpenSession())
        {
            using var scan = new MemoryStream(bytes);
            var order = new Order { Customer = "Cid" };
            session.Store(order);
            session.Advanced.Attachments.Store(order, "invoice.pdf", scan, "application/pdf");
            await session.SaveChangesAsync();
        }

        await using (var session = store.OpenSession())
        {
            var files = session.Advanced.Attachments;
            foreach (var file in await files.ListAsync("orders/1-A"))
                Console.WriteLine($"{file.Name}: {file.Size} bytes");
            await using var invoice = await files.OpenAsync("orders/1-A", "invoice.pdf");
            if (invoice is not null)
                await invoice.Content.CopyToAsync(copy);
        }
        // end-snippet
        Assert.Equal(bytes, copy.ToArray());
    }

    [Fact]
    public async Task Former_versions_are_read()
    {
        await using var database = DocumentDatabase.Open(new DatabaseOptions { Name = "shop" });
        await using var store = database.AsStore();
        var yesterday = database.UtcNow.AddDays(-1);
        // begin-snippet: keep-revisions
        await database.Revisions.ConfigureAsync(new() { Default = new RevisionPolicy { Keep = 50 } });
        // end-snippet
        await using var session = store.OpenSession();
        var order = new Order
        {
            Id = "orders/1",
            Customer = "Ann",
            Total = 1,
        };
        session.Store(order);
        await session.SaveChangesAsync();
        order.Total = 2;
        await session.SaveChangesAsync();
        // begin-snippet: revisions
        var versions = await session.Advanced.Revisions.ListAsync<Order>("orders/1");
        var before = await session.Advanced.Revisions.LoadAsync<Order>("orders/1", yesterday);
        var first = await session.Advanced.Revisions.LoadAsync<Order>(versions[^1].ChangeVector);
        // end-snippet
        Assert.Equal([2m, 1m], versions.Select(v => v.Document!.Total));
        Assert.Null(before);
        Assert.Equal(1m, first!.Document!.Total);
    }

    [Fact]
    public async Task An_email_belongs_to_one_user()
    {
        await using var store = EmbeddedStore.Open(null);
        Assert.True(await RegisterAsync("Ann", "ann@example.com"));
        Assert.False(await RegisterAsync("Bob", "Ann@example.com"));
        await using var reader = store.OpenSession();
        Assert.Equal("Ann", (await reader.Query<User>().SingleAsync()).Name);
        await ChangeEmailAsync("users/1-A", "ann@example.org");
        Assert.True(await RegisterAsync("Bob", "ann@example.com"));
        Assert.False(await RegisterAsync("Cid", "ann@example.org"));

        // begin-snippet: unique-email
        async Task<bool> RegisterAsync(string name, string email)
        {
            await using var session = store.OpenSession();
            var id = await session.StoreAsync(new User { Name = name, Email = email });
            session.Advanced.CompareExchange.Put("emails/" + email, id);
            try
            {
                await session.SaveChangesAsync();
                return true;
            }
            catch (ConcurrencyException)
            {
                return false;
            }
        }
        // end-snippet

        // begin-snippet: change-email
        async Task ChangeEmailAsync(string userId, string email)
        {
            await using var session = store.OpenSession();
            var values = session.Advanced.CompareExchange;
            var user = await session.LoadAsync<User>(userId) ?? throw new ArgumentException($"there is no '{userId}'");
            if (await values.GetAsync<string>("emails/" + user.Email) is { } taken)
                values.Delete(taken.Key, taken.Index);
            values.Put("emails/" + email, userId);
            user.Email = email;
            await session.SaveChangesAsync();
        }
        // end-snippet
    }

    [Fact]
    public async Task One_request_fetches_lazy_values()
    {
        await using var store = await OpenAsync();
        await using var session = store.OpenSession();
        // begin-snippet: lazy
        var first = session.Advanced.Lazily.LoadAsync<Order>("orders/1");
        var second = session.Advanced.Lazily.LoadAsync<Order>("orders/2");
        var open = session.Advanced.Lazily.QueryAsync(
            session.Query<Order>().Where(o => o.State == OrderState.Open).Take(10)
        );
        var order = await first;
        var orders = (await open).Items;
        // end-snippet
        Assert.Equal(
            ("Ann", "Bob", 2, 1),
            (order!.Customer, (await second)!.Customer, orders.Count, session.Advanced.RequestCount)
        );
    }

    [Fact]
    public async Task Results_are_counted()
    {
        await using var store = await OpenAsync();
        await using var session = store.OpenSession();
        // begin-snippet: facets
        var results = await session
            .Query<Order>()
            .Where(o => o.State == OrderState.Open)
            .AggregateBy(o => o.Customer, f => f.Sum(o => o.Total).OrderByCountDescending().Take(10))
            .AndByRanges([o => o.Total < 50, o => o.Total >= 50 && o.Total < 100, o => o.Total >= 100])
            .ToResultsAsync();
        foreach (var customer in results["Customer"].Values)
            Console.WriteLine($"{customer.Range}: {customer.Count} orders, {customer.Numbers["Total"].Sum}");
        foreach (var range in results["Total"].Values)
            Console.WriteLine($"{range.Range}: {range.Count}");
        // end-snippet
        Assert.Equal(
            [("ann", 120d), ("bob", 10d)],
            results["Customer"].Values.Select(v => (v.Range, v.Numbers["Total"].Sum!.Value))
        );
        Assert.Equal(
            [("Total < 50", 1L), ("Total >= 50 and Total < 100", 0L), ("Total >= 100", 1L)],
            results["Total"].Values.Select(v => (v.Range, v.Count))
        );
    }

    [Fact]
    public async Task Places_are_found_by_their_distance()
    {
        await using var store = EmbeddedStore.Open(null);
        await using var session = store.OpenSession();
        session.Store(new Shop { Name = "north", Location = new Place(60.39, 5.32) });
        session.Store(new Shop { Name = "east", Location = new Place(59.74, 10.20) });
        session.Store(new Shop { Name = "middle", Location = new Place(59.91, 10.75) });
        await session.SaveChangesAsync();
        // begin-snippet: spatial
        var near = await session
            .Query<Shop>()
            .Spatial(s => s.Location, area => area.WithinRadius(50, 59.9, 10.7))
            .OrderByDistance(s => s.Location, 59.9, 10.7)
            .ToListAsync();
        // end-snippet
        Assert.Equal(["middle", "east"], near.Select(s => s.Name));
    }

    private static async Task<IDocumentStore> OpenAsync()
    {
        var store = EmbeddedStore.Open(null);
        await using var session = store.OpenSession();
        session.Store(
            new Order
            {
                Id = "orders/1",
                Customer = "Ann",
                Total = 120m,
                Lines = [new Line("tea", 8m, 15)],
            }
        );
        session.Store(
            new Order
            {
                Id = "orders/2",
                Customer = "Bob",
                Total = 10m,
            }
        );
        await session.SaveChangesAsync();
        return store;
    }

    // begin-snippet: shop
    public sealed record Place(double Latitude, double Longitude);

    public sealed class Shop
    {
        public string? Id { get; set; }
        public required string Name { get; set; }
        public Place? Location { get; set; }
    }

    // end-snippet

    // begin-snippet: user
    public sealed class User
    {
        public string? Id { get; set; }
        public required string Name { get; set; }
        public required string Email { get; set; }
    }
    // end-snippet
}
