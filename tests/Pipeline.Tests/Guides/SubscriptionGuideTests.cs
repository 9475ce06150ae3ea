using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Pipeline.Client;
using Pipeline.Database;
using Pipeline.Hosting;
using Pipeline.Subscriptions;
using Pipeline.WorkerKit;
using Xunit;
using Order = Pipeline.Tests.Guides.DocumentGuideTests.Order;
using OrderState = Pipeline.Tests.Guides.DocumentGuideTests.OrderState;

namespace Pipeline.Tests.Guides;

/// <summary>What docs/guides/subscriptions.md shows.</summary>
public sealed class SubscriptionGuideTests
{
    [Fact]
    public async Task A_program_receives_the_orders_that_its_filter_chooses()
    {
        await using var database = DocumentDatabase.Open(new DatabaseOptions { Name = "shop" });
        await database.PutAsync("orders/1", """{"Total":2000,"@metadata":{"@collection":"Orders"}}"""u8.ToArray());
        await database.PutAsync("orders/2", """{"Total":10,"@metadata":{"@collection":"Orders"}}"""u8.ToArray());
        List<string> shipments = [];
        // begin-snippet: subscribe
        await using var host = SubscriptionHost.Open(database);
        await host.CreateAsync(
            new SubscriptionDefinition
            {
                Name = "big",
                Collections = ["Orders"],
                Filter = "doc.Total > 1000",
            }
        );
        await using var worker = await host.ConnectAsync("big");
        var shipped = await worker.RunAsync(
            (order, _) =>
            {
                shipments.Add(order.Id);
                return ValueTask.CompletedTask;
            },
            untilEmpty: true
        );
        // end-snippet
        Assert.Equal(1, shipped);
        Assert.Equal(["orders/1"], shipments);
    }

    [Fact]
    public async Task Orders_come_as_objects()
    {
        await using var store = EmbeddedStore.Open(null);
        using var stop = new CancellationTokenSource();
        var stopping = stop.Token;
        await using (var session = store.OpenSession())
        {
            session.Store(new Order { Customer = "Ann", Total = 2_000m });
            session.Store(new Order { Customer = "Bob", Total = 10m });
            await session.SaveChangesAsync(stopping);
        }

        List<string> shipped = [];
        // begin-snippet: typed
        await store.Subscriptions.EnsureAsync<Order>("big", new() { Filter = "doc.Total > 1000" });
        Task shipping = store.Subscribe<Order>("big").RunAsync((order, ct) => ShipAsync(order, ct), stopping);
        // end-snippet
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => shipping);
        Assert.Equal(["orders/1-A"], shipped);

        await store.Subscriptions.EnsureAsync<Order>("open", new() { Query = "from Orders where State = 'Open'" });
        // begin-snippet: batches
        await foreach (var batch in store.Subscribe<Order>("open", new() { EndsWhenEmpty = true }))
        {
            await using var session = batch.OpenSession();
            foreach (var item in batch)
                item.Document.State = OrderState.Paid;
            await session.SaveChangesAsync();
        }
        // end-snippet
        await using (var session = store.OpenSession())
            Assert.Equal(2, await session.Query<Order>().CountAsync(o => o.State == OrderState.Paid));

        async Task ShipAsync(Order order, CancellationToken token)
        {
            shipped.Add(order.Id!);
            token.ThrowIfCancellationRequested();
            await stop.CancelAsync();
        }
    }

    [Fact]
    public async Task A_handler_runs_with_the_host()
    {
        using var folder = new HostFolder();
        var builder = folder.NewBuilder();
        builder.Services.AddPipelineDatabase("shop", null);
        // begin-snippet: hosted
        builder.Services.AddPipelineSubscription<Order, OrderHandler>(
            "open",
            o => o.Definition = new() { Query = "from Orders where State = 'Open'" }
        );
        builder.Services.AddHealthChecks().AddPipelineSubscription("open");
        // end-snippet
        await using var app = builder.Build();
        await app.StartAsync();
        var store = app.Services.GetRequiredService<IDocumentStore>();
        await using (var session = store.OpenSession())
        {
            session.Store(new Order { Customer = "Ann" });
            await session.SaveChangesAsync();
        }

        await store.Subscriptions.CreateAsync<Order>("paid", new() { Query = "from Orders where State = 'Paid'" });
        await foreach (var batch in store.Subscribe<Order>("paid"))
        {
            Assert.Equal("Ann", Assert.Single(batch).Document.Customer);
            break;
        }
    }

    // begin-snippet: handler
    public sealed class OrderHandler(IDocumentSession session) : ISubscriptionHandler<Order>
    {
        public async Task HandleAsync(SubscriptionItem<Order> item, CancellationToken cancellationToken)
        {
            item.Document.State = OrderState.Paid;
            await session.SaveChangesAsync(cancellationToken);
        }
    }
    // end-snippet
}
