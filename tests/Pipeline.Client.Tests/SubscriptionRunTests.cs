using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Client.Tests;

/// <summary>Handlers of subscriptions: retries, parking, cancellation.</summary>
public sealed class SubscriptionRunTests
{
    private static readonly SubscribeOptions All = new() { EndsWhenEmpty = true };
    private static readonly SubscriptionOptions Fast = new() { MaxAttempts = 3, RetryDelay = TimeSpan.Zero };

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task A_document_whose_handler_throws_is_retried_and_parked_and_the_others_go_on(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.StoreOrdersAsync(6);
        await f.Store.Subscriptions.CreateAsync<Order>("s", Fast);
        var seen = new List<string>();
        var done = await f
            .Store.Subscribe<Order>("s", All)
            .RunAsync(
                (order, _) =>
                {
                    seen.Add(order.Id!);
                    return order.Total == 2 ? throw new FormatException("no stamp")
                        : order.Total == 4 && seen.Count < 7 ? throw new FormatException("later")
                        : Task.CompletedTask;
                }
            );
        Assert.Equal(5, done);
        Assert.Equal(
            [
                "orders/0",
                "orders/1",
                "orders/2",
                "orders/3",
                "orders/4",
                "orders/5",
                "orders/2",
                "orders/4",
                "orders/2",
            ],
            seen
        );
        var letter = await LetterAsync(f, "s", 3);
        Assert.Equal(
            ("orders/2", 3, "no stamp", 2m),
            (letter!.DocumentId, letter.Attempts, letter.Error.Message, letter.Document!.Total)
        );
        Assert.Null(await LetterAsync(f, "s", 5));
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task A_rejected_item_comes_after_its_delay_and_says_that_it_is_the_last_time(bool isRemote)
    {
        var time = new ManualTimeProvider();
        await using var f = await ClientFixture.OpenAsync(isRemote, time: time);
        await f.StoreOrdersAsync(2);
        await f.Store.Subscriptions.CreateAsync<Order>(
            "s",
            new SubscriptionOptions
            {
                MaxAttempts = 2,
                RetryDelay = TimeSpan.FromMinutes(3),
                MaxRetryDelay = TimeSpan.FromMinutes(3),
            }
        );
        await using var worker = f.Store.Subscribe<Order>("s", All).GetAsyncEnumerator();
        Assert.True(await worker.MoveNextAsync());
        worker.Current.Reject(worker.Current[1], "not yet");
        worker.Current.Release(worker.Current[0]);
        await worker.Current.AcknowledgeAsync();
        Assert.Equal(1, f.Subscriptions.GetStatus("s")[0].Retrying);
        Assert.True(await worker.MoveNextAsync());
        Assert.Equal(
            ("orders/0", 0, false),
            (worker.Current[0].Id, worker.Current[0].Attempts, worker.Current[0].IsLastAttempt)
        );
        await worker.Current.AcknowledgeAsync();
        time.Advance(TimeSpan.FromMinutes(3.1));
        Assert.True(await worker.MoveNextAsync());
        var again = Assert.Single(worker.Current);
        Assert.Equal(("orders/1", 1, true), (again.Id, again.Attempts, again.IsLastAttempt));
        worker.Current.Reject(again, new string('x', 5_000));
        Assert.False(await worker.MoveNextAsync());
        Assert.Equal(new string('x', 2_000), (await LetterAsync(f, "s", 2))!.Error.Message);
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task A_batch_that_fails_comes_one_by_one_so_that_a_bad_document_parks_only_itself(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.StoreOrdersAsync(5);
        await f.Store.Subscriptions.CreateAsync<Order>("s", Fast);
        var seen = new List<string>();
        var done = await f
            .Store.Subscribe<Order>("s", All)
            .RunBatchesAsync(
                async (batch, ct) =>
                {
                    seen.Add(string.Join(",", batch.Select(i => i.Document.Total)));
                    await Assert.ThrowsAsync<InvalidOperationException>(() => batch.AcknowledgeAsync(ct));
                    if (batch.Any(i => i.Document.Total == 2))
                        throw new FormatException("no stamp");
                }
            );
        Assert.Equal((4, "0,1,2,3,4 0 1 2 3 4 2"), (done, string.Join(' ', seen)));
        Assert.Equal(
            ("orders/2", 3),
            ((await LetterAsync(f, "s", 3))!.DocumentId, (await LetterAsync(f, "s", 3))!.Attempts)
        );
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task A_batch_handler_rejects_single_documents(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.StoreOrdersAsync(4);
        await f.Store.Subscriptions.CreateAsync<Order>("s", Fast);
        var seen = new List<string>();
        var done = await f
            .Store.Subscribe<Order>("s", All)
            .RunBatchesAsync(
                (batch, _) =>
                {
                    seen.Add(string.Join(",", batch.Select(i => i.Document.Total)));
                    if (batch.FirstOrDefault(i => i.Document.Total == 1) is { } bad)
                        batch.Reject(bad, "no stamp");
                    return Task.CompletedTask;
                }
            );
        Assert.Equal((3, "0,1,2,3 1 1"), (done, string.Join(' ', seen)));
        Assert.Equal("no stamp", (await LetterAsync(f, "s", 2))!.Error.Message);
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task A_run_that_is_cancelled_repeats_nothing_that_it_has_done(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.StoreOrdersAsync(6);
        await f.Store.Subscriptions.CreateAsync<Order>("s", new SubscriptionOptions { MaxAttempts = 1 });
        using var stop = new CancellationTokenSource();
        var seen = new List<decimal>();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() =>
            f
                .Store.Subscribe<Order>("s")
                .RunAsync(
                    async (order, ct) =>
                    {
                        seen.Add(order.Total);
                        if (order.Total < 3)
                            return;
                        await stop.CancelAsync();
                        await Task.Delay(Timeout.Infinite, ct);
                    },
                    stop.Token
                )
        );
        Assert.Equal([0, 1, 2, 3], seen);
        seen.Clear();
        Assert.Equal(
            3,
            await f
                .Store.Subscribe<Order>("s", All)
                .RunItemsAsync(
                    (item, _) =>
                    {
                        Assert.Equal(0, item.Attempts);
                        seen.Add(item.Document.Total);
                        return Task.CompletedTask;
                    }
                )
        );
        Assert.Equal([3, 4, 5], seen);
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task A_handler_is_told_when_the_subscription_is_lost(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.StoreOrdersAsync(1);
        await f.Store.Subscriptions.CreateAsync<Order>("s");
        var e = await Assert.ThrowsAsync<SubscriptionException>(() =>
            f
                .Store.Subscribe<Order>("s")
                .RunAsync(
                    async (_, ct) =>
                    {
                        await f.Store.Subscriptions.DeleteAsync("s", CancellationToken.None);
                        await Task.Delay(Timeout.Infinite, ct);
                    }
                )
        );
        Assert.Equal(SubscriptionProblem.Deleted, e.Problem);
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task A_document_that_does_not_fit_its_class_is_parked(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.Database.PutAsync(
            "orders/bad",
            """{"Total":"much","@metadata":{"@collection":"Orders"}}"""u8.ToArray()
        );
        await f.StoreOrdersAsync(1);
        await f.Store.Subscriptions.CreateAsync<Order>("s", Fast);
        Assert.Equal(1, await f.Store.Subscribe<Order>("s", All).RunAsync((_, _) => Task.CompletedTask));
        await using var session = f.Store.OpenSession();
        Assert.Contains(
            "$.Total",
            (await session.LoadAsync<Letter<object>>("deadletters/@s/1"))!.Error.Message,
            StringComparison.Ordinal
        );
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task Deletions_are_seen_where_the_subscription_delivers_them(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.StoreOrdersAsync(2);
        await f.Database.DeleteAsync("orders/0");
        await f.Store.Subscriptions.CreateAsync<Order>("s", Fast with { Deletes = true });
        var e = await Assert.ThrowsAnyAsync<InvalidOperationException>(() =>
            f.Store.Subscribe<Order>("s", All).RunAsync((_, _) => Task.CompletedTask)
        );
        Assert.Contains("RunItemsAsync", e.Message, StringComparison.Ordinal);
        var seen = new List<(string, bool)>();
        await f
            .Store.Subscribe<Order>("s", All)
            .RunItemsAsync(
                (item, _) =>
                {
                    seen.Add((item.Id, item.IsDeleted));
                    if (item.IsDeleted)
                        Assert.Throws<InvalidOperationException>(() => item.Document);
                    return Task.CompletedTask;
                }
            );
        Assert.Equal([("orders/1", false), ("orders/0", true)], seen);
    }

    private static async Task<Letter<Order>?> LetterAsync(ClientFixture f, string subscription, long position)
    {
        await using var session = f.Store.OpenSession();
        return await session.LoadAsync<Letter<Order>>($"deadletters/@{subscription}/{position}");
    }

    private sealed record Letter<T>(string DocumentId, int Attempts, LetterError Error, T? Document);

    private sealed record LetterError(string Message);
}
