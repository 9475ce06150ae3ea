using System.Net;
using System.Net.Http.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Pipeline.Client;
using Pipeline.Database;
using Pipeline.Hosting;
using Pipeline.Subscriptions;
using Pipeline.Tests.Worker;
using Xunit;
using ConcurrencyException = Pipeline.Client.ConcurrencyException;

namespace Pipeline.Tests.Guides;

/// <summary>
/// Pipeline's side of docs/guides/from-ravendb.md, from-marten.md, from-litedb.md and from-mongodb.md.
/// </summary>
public sealed class ComparedGuideTests
{
    [Fact]
    public async Task Ten_jobs_are_done()
    {
        using var folder = new TestFolder();
        var path = folder.Path;
        // begin-snippet: open
        await using var database = DocumentDatabase.Open(new DatabaseOptions { Path = path });
        await using var store = database.AsStore();
        // end-snippet
        {
            // begin-snippet: store
            await using var session = store.OpenSession();
            session.Store(
                new Order
                {
                    Customer = "Ann",
                    Total = 120m,
                    Note = "urgent delivery",
                }
            );
            await session.SaveChangesAsync();
            // end-snippet
        }

        var id = "orders/1-A";
        {
            // begin-snippet: load
            await using var session = store.OpenSession();
            var order = await session.LoadAsync<Order>(id);
            // end-snippet
            Assert.Equal("Ann", order!.Customer);
        }

        {
            // begin-snippet: query
            await using var session = store.OpenSession();
            var large = await session
                .Query<Order>()
                .Where(o => o.Total > 100)
                .OrderByDescending(o => o.Total)
                .ToListAsync();
            // end-snippet
            Assert.Single(large);
        }

        {
            // begin-snippet: change
            await using var session = store.OpenSession(new() { UseOptimisticConcurrency = true });
            var order = (await session.LoadAsync<Order>(id))!;
            order.Total += 10;
            await session.SaveChangesAsync(); // ConcurrencyException if somebody else saved it
            // end-snippet
            await using var other = store.OpenSession(new() { UseOptimisticConcurrency = true });
            (await other.LoadAsync<Order>(id))!.Total++;
            order.Total += 5;
            await session.SaveChangesAsync();
            await Assert.ThrowsAsync<ConcurrencyException>(() => other.SaveChangesAsync());
        }

        var orders = Enumerable.Range(0, 1_000).Select(n => new Order { Customer = "customer " + n % 10, Total = 1 });
        {
            // begin-snippet: bulk
            await using var insert = store.BulkInsert();
            foreach (var order in orders)
                await insert.StoreAsync(order);
            // end-snippet
        }

        {
            // begin-snippet: sums
            await using var session = store.OpenSession();
            var sums = await session
                .Query<Order>()
                .GroupBy(o => o.Customer)
                .Select(g => new { Customer = g.Key, Sum = g.Sum(o => o.Total) })
                .ToListAsync();
            // end-snippet
            Assert.Equal(135m, sums.Single(s => s.Customer == "Ann").Sum);
            Assert.Equal(11, sums.Count);
        }

        {
            // begin-snippet: search
            await using var session = store.OpenSession();
            var found = await session.Query<Order>().Search(o => o.Note, "urgent deliver*").ToListAsync();
            // end-snippet
            Assert.Equal(id, Assert.Single(found).Id);
        }

        var seen = new List<string>();
        // begin-snippet: changes
        await using var host = SubscriptionHost.Open(database);
        await host.EnsureAsync(new() { Name = "orders", Collections = ["Orders"] });
        await using var worker = await host.ConnectAsync("orders");
        await worker.RunAsync(
            (change, _) =>
            {
                seen.Add(change.Id);
                return ValueTask.CompletedTask;
            },
            untilEmpty: true
        );
        // end-snippet
        Assert.Equal(1_001, seen.Count);
    }

    [Fact]
    public async Task A_web_application_stores_an_order()
    {
        using var folder = new TestFolder();
        var path = folder.Path;
        string[] args = ["--urls", "http://127.0.0.1:0", "--Logging:LogLevel:Default", "None"];
        // begin-snippet: host
        var builder = WebApplication.CreateBuilder(args);
        builder.Services.AddPipelineDatabase("shop", path);
        var app = builder.Build();
        app.MapPost(
            "/orders",
            async (Order order, IDocumentSession session) =>
            {
                session.Store(order);
                await session.SaveChangesAsync();
            }
        );
        // end-snippet
        await using (app)
        {
            await app.StartAsync();
            using var http = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };
            Assert.Equal(
                HttpStatusCode.OK,
                (await http.PostAsJsonAsync("/orders", new { Customer = "Ann", Total = 5 })).StatusCode
            );
        }
    }

    // begin-snippet: class
    public sealed class Order
    {
        public string? Id { get; set; }
        public string Customer { get; set; } = "";
        public decimal Total { get; set; }
        public string? Note { get; set; }
    }
    // end-snippet
}
