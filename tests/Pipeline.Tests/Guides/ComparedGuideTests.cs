using System.Net;
using System.Net.Http.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Pipeline.Client;
using Pipeline.Hosting;
using Pipeline.TestKit.Files;
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
        await using var store = EmbeddedStore.Open(path);
        // end-snippet
        // begin-snippet: store
        var id = await store.SaveAsync(
            new Order
            {
                Customer = "Ann",
                Total = 120m,
                Note = "urgent delivery",
            }
        );
        // end-snippet
        {
            // begin-snippet: load
            var order = await store.LoadAsync<Order>(id);
            // end-snippet
            Assert.Equal("Ann", order!.Customer);
        }

        // begin-snippet: query
        var large = await store.Query<Order>().Where(o => o.Total > 100).OrderByDescending(o => o.Total).ToListAsync();
        // end-snippet
        Assert.Single(large);

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

        var many = Enumerable.Range(0, 1_000).Select(n => new Order { Customer = "customer " + n % 10, Total = 1 });
        // begin-snippet: bulk
        await store.BulkInsertAsync(many);
        // end-snippet

        // begin-snippet: sums
        var sums = await store
            .Query<Order>()
            .GroupBy(o => o.Customer)
            .Select(g => new { Customer = g.Key, Sum = g.Sum(o => o.Total) })
            .ToListAsync();
        // end-snippet
        Assert.Equal(135m, sums.Single(s => s.Customer == "Ann").Sum);
        Assert.Equal(11, sums.Count);

        // begin-snippet: search
        var found = await store.Query<Order>().Search(o => o.Note, "urgent deliver*").ToListAsync();
        // end-snippet
        Assert.Equal(id, Assert.Single(found).Id);

        var seen = new List<string>();
        // begin-snippet: changes
        await store.Subscriptions.EnsureAsync<Order>("orders");
        await foreach (var batch in store.Subscribe<Order>("orders", new() { EndsWhenEmpty = true }))
            seen.AddRange(batch.Select(i => i.Id)); // acknowledged when the loop asks for the next batch
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
        app.MapPost("/orders", async (Order order, IDocumentStore store) => await store.SaveAsync(order));
        // end-snippet
        await using (app)
        {
            await app.StartAsync();
            using var http = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };
            var stored = await http.PostAsJsonAsync("/orders", new { Customer = "Ann", Total = 5 });
            Assert.Equal(
                (HttpStatusCode.OK, "orders/1-A"),
                (stored.StatusCode, await stored.Content.ReadAsStringAsync())
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
