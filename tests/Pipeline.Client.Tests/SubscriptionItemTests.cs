using Pipeline.Documents;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Client.Tests;

/// <summary>What a subscription's items hold, and how they are stored back.</summary>
public sealed class SubscriptionItemTests
{
    private static readonly SubscribeOptions All = new() { EndsWhenEmpty = true };

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task Documents_are_changed_and_saved_without_loading_them(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.StoreOrdersAsync(3);
        await f.Database.PutAsync(
            "orders/3",
            """{"Total":3,"Unknown":[1],"@metadata":{"@collection":"Orders"}}"""u8.ToArray()
        );
        await f.Store.Subscriptions.CreateAsync<Order>(
            "s",
            new SubscriptionOptions { Query = "from Orders where State != 'Sent'" }
        );
        await foreach (var batch in f.Store.Subscribe<Order>("s", All))
        {
            batch[0].Document.State = OrderState.Sent;
            await using var session = batch.OpenSession();
            Assert.True(session.Advanced.HasChanged(batch[0].Document));
            Assert.False(session.Advanced.HasChanged(batch[1].Document));
            batch[3].Document.State = OrderState.Sent;
            Assert.Same(batch[3].Document, await session.LoadAsync<Order>("orders/3"));
            Assert.Equal(batch[3].ChangeVector, session.Advanced.GetChangeVector(batch[3].Document));
            Assert.Equal(0, session.Advanced.RequestCount);
            session.Delete(batch[1].Document);
            await session.SaveChangesAsync();
            Assert.Equal(1, session.Advanced.RequestCount);
        }

        using var snapshot = f.Database.OpenSnapshot();
        Assert.True(snapshot.TryGet("orders/3", out var kept));
        Assert.Equal(("[1]", "Sent"), (kept.Body.Root["Unknown"].ToString(), kept.Body.Root["State"].GetString()));
        Assert.True(snapshot.TryGet("orders/0", out var first) && first.Body.Root["State"].GetString() == "Sent");
        Assert.False(snapshot.TryGet("orders/1", out _));
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task A_save_notices_that_somebody_else_has_changed_the_document(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.StoreOrdersAsync(2);
        await f.Store.Subscriptions.CreateAsync<Order>("s");
        await foreach (var batch in f.Store.Subscribe<Order>("s"))
        {
            await f.StoreOrdersAsync(1, _ => new Order { Total = 9 });
            await using var session = batch[0].OpenSession(new SessionOptions { UseOptimisticConcurrency = true });
            (batch[0].Document.Total, batch[1].Document.Total) = (8, 8);
            Assert.Throws<InvalidOperationException>(() => session.Advanced.GetChangeVector(batch[1].Document));
            await Assert.ThrowsAsync<Pipeline.Client.ConcurrencyException>(() => session.SaveChangesAsync());
            break;
        }
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task Included_documents_need_no_request(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.StoreOrdersAsync(3, n => new Order { Company = n == 2 ? "companies/none" : "companies/1" });
        await f.Database.PutAsync(
            "companies/1",
            """{"Name":"Tea","@metadata":{"@collection":"Companies"}}"""u8.ToArray()
        );
        await f.Store.Subscriptions.CreateAsync<Order>(
            "s",
            new SubscriptionOptions { Query = "from Orders include Company" }
        );
        await foreach (var batch in f.Store.Subscribe<Order>("s", All))
        {
            await using var session = batch.OpenSession();
            Assert.Equal("Tea", (await session.LoadAsync<Company>(batch[0].Document.Company!))!.Name);
            Assert.Equal(0, session.Advanced.RequestCount);
        }
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task A_projection_has_its_own_class(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.StoreOrdersAsync(2, n => new Order { Customer = "Ann", Total = n });
        await f.Store.Subscriptions.CreateAsync<Order>(
            "s",
            new SubscriptionOptions { Projection = "new { Who = doc.Customer, Twice = doc.Total * 2 }" }
        );
        await foreach (var batch in f.Store.Subscribe<Summary>("s", All))
        {
            await using var session = batch.OpenSession();
            Assert.Equal([new Summary("Ann", 0), new Summary("Ann", 2)], batch.Select(i => i.Document));
            Assert.Equal("orders/1", batch[1].Id);
            Assert.False(session.Advanced.HasChanges);
        }
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task Versions_come_with_the_one_before(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.Database.Revisions.ConfigureAsync(new RevisionConfiguration { Default = new RevisionPolicy() });
        for (var n = 0; n < 3; n++)
            await f.StoreOrdersAsync(1, _ => new Order { Total = n });
        await f.Database.DeleteAsync("orders/0");
        await f.Store.Subscriptions.CreateAsync<Order>("s", new SubscriptionOptions { Revisions = true });
        await foreach (var batch in f.Store.Subscribe<Order>("s", All))
        {
            Assert.Equal(
                [(null, 0m), (0m, 1m), (1m, 2m), (2m, null)],
                batch.Select(i => (i.Previous?.Total, i.IsDeleted ? (decimal?)null : i.Document.Total))
            );
            Assert.All(batch, i => Assert.True(i.PreviousIsKnown));
            await using var session = batch.OpenSession();
            Assert.All(
                batch.Take(3),
                i => Assert.Throws<InvalidOperationException>(() => session.Advanced.HasChanged(i.Document))
            );
        }

        await f.StoreOrdersAsync(1, _ => new Order { Total = 7 });
        await f.StoreOrdersAsync(1, _ => new Order { Total = 8 });
        await f.Store.Subscriptions.CreateAsync<Order>("t", new SubscriptionOptions { Revisions = true });
        await foreach (var batch in f.Store.Subscribe<Order>("t", All))
        {
            await using var session = batch.OpenSession();
            Assert.Throws<InvalidOperationException>(() => session.Advanced.HasChanged(batch[^2].Document));
            Assert.False(session.Advanced.HasChanged(batch[^1].Document));
        }
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task A_subscription_that_lagged_too_far_gets_all_documents_between_two_marks(bool isRemote)
    {
        var time = new ManualTimeProvider();
        await using var f = await ClientFixture.OpenAsync(isRemote, time: time);
        await f.Store.Subscriptions.CreateAsync<Order>(
            "s",
            new SubscriptionOptions
            {
                MaxLag = new SubscriptionLagLimit { Changes = 1, Then = SubscriptionLagAction.PauseAndResync },
            }
        );
        await f.StoreOrdersAsync(3);
        while (!f.Subscriptions.GetStatus("s")[0].IsResyncing)
        {
            // The lag is judged every ten seconds.
            time.Advance(TimeSpan.FromSeconds(10));
            await Task.Yield();
        }

        var seen = new List<(SubscriptionResync?, int)>();
        await foreach (var batch in f.Store.Subscribe<Order>("s", All))
            seen.Add((batch.Resync, batch.Count));
        Assert.Equal(
            [(SubscriptionResync.Begin, 0), (SubscriptionResync.Snapshot, 3), (SubscriptionResync.End, 0)],
            seen
        );
        await f.StoreOrdersAsync(1);
        Assert.Equal(1, await f.Store.Subscribe<Order>("s", All).RunAsync((_, _) => Task.CompletedTask));
    }

    private sealed record Summary(string Who, decimal Twice);
}
