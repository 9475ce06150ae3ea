using System.Text.Json.Serialization;
using Pipeline.Database;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Client.Tests;

/// <summary>Typed subscriptions, in the process and over HTTP: batches, acknowledgements, workers.</summary>
public sealed class SubscriptionTests
{
    private static readonly SubscribeOptions All = new() { EndsWhenEmpty = true };
    private static readonly SubscribeOptions Twos = All with { MaxBatchCount = 2 };

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task Documents_come_as_objects_in_the_order_of_their_commits(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.StoreOrdersAsync(
            5,
            n => new Order
            {
                Customer = "Ann",
                Total = n * 1_000,
                State = OrderState.Paid,
                Lines = [new Line("tea", 1.5m, n)],
            }
        );
        await f.Store.Subscriptions.CreateAsync<Order>("big", new SubscriptionOptions { Filter = "doc.Total > 1000" });
        var seen = new List<SubscriptionItem<Order>>();
        await foreach (var batch in f.Store.Subscribe<Order>("big", All))
        {
            Assert.Null(batch.Resync);
            seen.AddRange(batch);
        }

        Assert.Equal(["orders/2", "orders/3", "orders/4"], seen.Select(i => i.Id));
        var order = seen[0].Document;
        Assert.Equal(
            ("orders/2", 2_000m, OrderState.Paid, new Line("tea", 1.5m, 2)),
            (order.Id, order.Total, order.State, Assert.Single(order.Lines))
        );
        Assert.Same(order, seen[0].Document);
        await using var session = f.Store.OpenSession();
        var loaded = await session.LoadAsync<Order>("orders/2");
        Assert.Equal(
            (session.Advanced.GetChangeVector(loaded!), session.Advanced.GetLastModified(loaded!)),
            (seen[0].ChangeVector, seen[0].LastModified)
        );
        Assert.Equal(
            ("Orders", false, 0, false),
            (seen[0].Collection, seen[0].IsDeleted, seen[0].Attempts, seen[0].IsLastAttempt)
        );
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task What_is_not_acknowledged_comes_again(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.StoreOrdersAsync(5);
        await f.Store.Subscriptions.CreateAsync<Order>("s");
        Assert.Equal(["0", "1", "2", "3"], await ReadAsync(f.Store.Subscribe<Order>("s", Twos), stopAt: 3));
        await Assert.ThrowsAsync<FormatException>(async () =>
        {
            await foreach (var batch in f.Store.Subscribe<Order>("s", Twos))
                throw new FormatException(batch[0].Id);
        });
        await foreach (var batch in f.Store.Subscribe<Order>("s", Twos))
        {
            Assert.Equal(["orders/2", "orders/3"], batch.Select(i => i.Id));
            await batch.AcknowledgeAsync();
            await batch.AcknowledgeAsync();
            Assert.Throws<InvalidOperationException>(() => batch.Reject(batch[0], "late"));
            break;
        }

        Assert.Equal(["4"], await ReadAsync(f.Store.Subscribe<Order>("s", Twos)));
        Assert.Empty(await ReadAsync(f.Store.Subscribe<Order>("s", Twos)));
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task A_worker_that_waits_gets_what_is_stored_and_ends_when_it_is_cancelled(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.Store.Subscriptions.CreateAsync<Order>("s");
        using var stop = new CancellationTokenSource();
        await using var worker = f.Store.Subscribe<Order>("s").GetAsyncEnumerator(stop.Token);
        var next = worker.MoveNextAsync();
        await f.StoreOrdersAsync(1);
        Assert.True(await next);
        Assert.Equal("orders/0", Assert.Single(worker.Current).Id);
        next = worker.MoveNextAsync();
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await next);

        // The cancelled one has left, and had acknowledged.
        Assert.Empty(await ReadAsync(f.Store.Subscribe<Order>("s", All)));
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task A_second_worker_is_refused_waits_takes_over_or_shares(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.StoreOrdersAsync(100);
        await f.Store.Subscriptions.CreateAsync<Order>("s");
        await using var first = f.Store.Subscribe<Order>("s", Twos).GetAsyncEnumerator();
        Assert.True(await first.MoveNextAsync());
        var refused = await Assert.ThrowsAsync<SubscriptionException>(() =>
            ReadAsync(f.Store.Subscribe<Order>("s", Twos))
        );
        Assert.Equal(
            (SubscriptionProblem.InUse, "s", false),
            (refused.Problem, refused.Subscription, refused.CanReconnect)
        );

        await using var waiting = f
            .Store.Subscribe<Order>("s", Twos with { Strategy = SubscriberStrategy.WaitForFree })
            .GetAsyncEnumerator();
        var next = waiting.MoveNextAsync();
        await first.DisposeAsync();
        Assert.True(await next);
        Assert.Equal(["orders/0", "orders/1"], waiting.Current.Select(i => i.Id));

        await using (
            var taking = f
                .Store.Subscribe<Order>("s", Twos with { Strategy = SubscriberStrategy.TakeOver })
                .GetAsyncEnumerator()
        )
        {
            Assert.True(await taking.MoveNextAsync());
            Assert.Equal(["orders/0", "orders/1"], taking.Current.Select(i => i.Id));
            var over = await Assert.ThrowsAsync<SubscriptionException>(async () => await waiting.MoveNextAsync());
            Assert.Equal(SubscriptionProblem.TakenOver, over.Problem);
            Assert.True(taking.Current.Count == 2 && !taking.Current.Lost.IsCancellationRequested);
        }

        var shared = All with { Strategy = SubscriberStrategy.Concurrent, MaxBatchCount = 3 };
        var both = await Task.WhenAll(
            ReadAsync(f.Store.Subscribe<Order>("s", shared)),
            ReadAsync(f.Store.Subscribe<Order>("s", shared))
        );
        Assert.Equal(100, both.SelectMany(b => b).Distinct().Count());
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task A_deleted_or_missing_subscription_ends_the_loop(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.StoreOrdersAsync(1);
        await f.Store.Subscriptions.CreateAsync<Order>("s");
        await using var worker = f.Store.Subscribe<Order>("s").GetAsyncEnumerator();
        Assert.True(await worker.MoveNextAsync());
        var lost = worker.Current.Lost;
        var next = worker.MoveNextAsync();
        await f.Store.Subscriptions.DeleteAsync("s");
        Assert.Equal(
            SubscriptionProblem.Deleted,
            (await Assert.ThrowsAsync<SubscriptionException>(async () => await next)).Problem
        );
        Assert.True(lost.IsCancellationRequested);
        var missing = await Assert.ThrowsAsync<SubscriptionException>(() => ReadAsync(f.Store.Subscribe<Order>("s")));
        Assert.Equal(
            (SubscriptionProblem.NotFound, "There is no subscription 's'."),
            (missing.Problem, missing.Message)
        );
        await f.Store.Subscriptions.DeleteAsync("s");
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task A_definition_is_created_once_and_changed_where_it_differs(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        var options = new SubscriptionOptions
        {
            Filter = "doc.Total > 5",
            Deletes = true,
            MaxAttempts = 3,
            RetryDelay = TimeSpan.FromSeconds(7),
            MaxRetryDelay = TimeSpan.FromMinutes(2),
            HoldParkedKeys = true,
            MaxLag = new SubscriptionLagLimit
            {
                Age = TimeSpan.FromDays(2),
                Changes = 10,
                Bytes = 1_000,
                Then = SubscriptionLagAction.PauseAndResync,
            },
        };
        await f.Store.Subscriptions.CreateAsync<Order>("s", options);
        Assert.Equal(
            SubscriptionProblem.Exists,
            (
                await Assert.ThrowsAsync<SubscriptionException>(() => f.Store.Subscriptions.CreateAsync<Order>("s"))
            ).Problem
        );
        var known = f.Subscriptions.GetStatus("s")[0].Definition;
        Assert.Equal(
            ("Orders", "doc.Total > 5", true, 3, TimeSpan.FromSeconds(7), TimeSpan.FromMinutes(2), true),
            (
                Assert.Single(known.Collections!),
                known.Filter,
                known.Deletes,
                known.MaxAttempts,
                known.RetryDelay,
                known.MaxRetryDelay,
                known.HoldParkedKeys
            )
        );
        Assert.Equal(
            (TimeSpan.FromDays(2), 10L, 1_000L, Pipeline.Subscriptions.LagAction.PauseAndResync),
            (known.MaxLag!.Age!.Value, known.MaxLag.Changes!.Value, known.MaxLag.Bytes!.Value, known.MaxLag.Then)
        );

        await using var worker = f.Store.Subscribe<Order>("s").GetAsyncEnumerator();
        var next = worker.MoveNextAsync();
        await f.Store.Subscriptions.EnsureAsync<Order>("S", options with { MaxAttempts = 9 });
        await f.Store.Subscriptions.EnsureAsync<Order>(
            "t",
            new SubscriptionOptions { Query = "from Orders where Total > 5" }
        );
        await f.StoreOrdersAsync(7);
        Assert.True(await next);
        Assert.Equal("orders/6", Assert.Single(worker.Current).Id);
        Assert.Equal(9, f.Subscriptions.GetStatus("s")[0].Definition.MaxAttempts);
        Assert.Equal(["6"], await ReadAsync(f.Store.Subscribe<Order>("t", All)));

        await f.Store.Subscriptions.EnsureAsync<Order>("new", new SubscriptionOptions { SkipsExisting = true });
        Assert.Empty(await ReadAsync(f.Store.Subscribe<Order>("new", All)));
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task What_is_invalid_is_refused_with_its_place(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.Store.Subscriptions.CreateAsync<Order>("s");
        var filter = await Assert.ThrowsAsync<SubscriptionException>(() =>
            f.Store.Subscriptions.CreateAsync<Order>("t", new SubscriptionOptions { Filter = "doc.Total >" })
        );
        Assert.Equal(SubscriptionProblem.Invalid, filter.Problem);
        Assert.Contains("filter 1:", filter.Message, StringComparison.Ordinal);
        var name = await Assert.ThrowsAsync<SubscriptionException>(() =>
            f.Store.Subscriptions.EnsureAsync<Order>("a b")
        );
        Assert.Equal((SubscriptionProblem.Invalid, "a b"), (name.Problem, name.Subscription));
        var worker = await Assert.ThrowsAsync<SubscriptionException>(() =>
            ReadAsync(f.Store.Subscribe<Order>("s", All with { MaxBatchCount = 0 }))
        );
        Assert.Equal(SubscriptionProblem.Invalid, worker.Problem);
        Assert.Contains("maxBatchCount is 0", worker.Message, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task A_batch_that_takes_too_long_comes_again(bool isRemote)
    {
        var time = new ManualTimeProvider();
        await using var f = await ClientFixture.OpenAsync(isRemote, time: time);
        await f.StoreOrdersAsync(1);
        await f.Store.Subscriptions.CreateAsync<Order>("s");
        await using var worker = f
            .Store.Subscribe<Order>("s", All with { MaxBatchTime = TimeSpan.FromSeconds(10) })
            .GetAsyncEnumerator();
        Assert.True(await worker.MoveNextAsync());
        var lost = new TaskCompletionSource();
        using var registered = worker.Current.Lost.Register(lost.SetResult);
        time.Advance(TimeSpan.FromSeconds(11));
        await lost.Task;
        Assert.Equal(
            SubscriptionProblem.LeaseLost,
            (await Assert.ThrowsAsync<SubscriptionException>(() => worker.Current.AcknowledgeAsync())).Problem
        );
        Assert.True(await worker.MoveNextAsync());
        Assert.Equal(("orders/0", 1), (worker.Current[0].Id, worker.Current[0].Attempts));
        Assert.False(await worker.MoveNextAsync());
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task Source_generated_contracts_are_used(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(
            isRemote,
            new DocumentStoreOptions { Json = new() { TypeInfoResolver = SubscribedJson.Default } }
        );
        await using (var session = f.Store.OpenSession())
        {
            session.Store(new Company("companies/1", "Tea & Co"));
            await session.SaveChangesAsync();
        }

        await f.Store.Subscriptions.CreateAsync<Company>("s");
        await foreach (var batch in f.Store.Subscribe<Company>("s", All))
            Assert.Equal(new Company("companies/1", "Tea & Co"), Assert.Single(batch).Document);
        Assert.Equal(["Companies"], f.Subscriptions.GetStatus("s")[0].Definition.Collections);
    }

    [Fact]
    public async Task An_embedded_store_opens_its_subscriptions_and_ends_them()
    {
        await using var store = EmbeddedStore.Open(null);
        await store.Subscriptions.CreateAsync<Order>("s");
        await using var worker = store.Subscribe<Order>("s").GetAsyncEnumerator();
        var next = worker.MoveNextAsync();
        await store.DisposeAsync();
        Assert.Equal(
            SubscriptionProblem.Closed,
            (await Assert.ThrowsAsync<SubscriptionException>(async () => await next)).Problem
        );
        Assert.Equal(
            SubscriptionProblem.Closed,
            (await Assert.ThrowsAsync<SubscriptionException>(() => ReadAsync(store.Subscribe<Order>("s")))).Problem
        );
        await using var database = DocumentDatabase.Open(new DatabaseOptions { Name = "d" });
        Assert.Contains(
            "SubscriptionHost",
            (
                await Assert.ThrowsAsync<InvalidOperationException>(() =>
                    database.AsStore().Subscriptions.CreateAsync<Order>("s")
                )
            ).Message,
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task A_remote_store_that_is_disposed_ends_its_workers()
    {
        await using var f = await ClientFixture.OpenAsync(isRemote: true);
        await f.Store.Subscriptions.CreateAsync<Order>("s");
        var store = DocumentStore.Connect($"http://127.0.0.1:{f.Port}", "shop");
        var connected = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var worker = store
            .Subscribe<Order>("s", new SubscribeOptions { Connected = connected.SetResult })
            .GetAsyncEnumerator();
        var next = worker.MoveNextAsync();
        await connected.Task;
        await store.DisposeAsync();
        Assert.Equal(
            SubscriptionProblem.Closed,
            (await Assert.ThrowsAsync<SubscriptionException>(async () => await next)).Problem
        );
        Assert.Equal(
            SubscriptionProblem.Closed,
            (await Assert.ThrowsAsync<SubscriptionException>(() => ReadAsync(store.Subscribe<Order>("s")))).Problem
        );
        await using var other = f
            .Store.Subscribe<Order>("s", All with { Strategy = SubscriberStrategy.WaitForFree })
            .GetAsyncEnumerator();
        Assert.False(await other.MoveNextAsync());
    }

    private static async Task<List<string>> ReadAsync(IDocumentSubscription<Order> subscription, int stopAt = -1)
    {
        var ids = new List<string>();
        await foreach (var batch in subscription)
        {
            ids.AddRange(batch.Select(i => i.Id["orders/".Length..]));
            if (ids.Contains(stopAt.ToString(System.Globalization.CultureInfo.InvariantCulture)))
                break;
        }

        return ids;
    }
}

[JsonSerializable(typeof(Company))]
internal sealed partial class SubscribedJson : JsonSerializerContext;
