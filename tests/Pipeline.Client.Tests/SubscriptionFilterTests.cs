using System.Linq.Expressions;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Client.Tests;

/// <summary>Subscriptions whose filter is a lambda, and their states, in the process and over HTTP.</summary>
public sealed class SubscriptionFilterTests
{
    private static readonly SubscribeOptions All = new() { EndsWhenEmpty = true };
    private static readonly DateTime Start = new(2026, 1, 1, 0, 0, 0, DateTimeKind.Utc);
    private static readonly OrderState[] Closed = [OrderState.Paid, OrderState.Sent];
    private static readonly string?[] Names = ["Ann", null];
    private static readonly DateOnly[] Days = [new(2026, 1, 3), new(2026, 1, 5)];

    // What the classes of these tests can be asked, each with a part of the text that it becomes.
    private static readonly (Expression<Func<Order, bool>> Filter, string Text)[] Filters =
    [
        (o => o.Total > 10, "(doc.Total > 10)"),
        (o => 10 < o.Total && o.Customer == "Ann", "((doc.Total > 10) and (doc.Customer = 'Ann'))"),
        (o => o.Customer != "Ann" || !o.IsUrgent, "((not (doc.Customer = 'Ann')) or (not (doc.IsUrgent = true)))"),
        (o => o.State == OrderState.Paid, "(doc.State = 'Paid')"),
        (o => Closed.Contains(o.State), "(doc.State in ('Paid', 'Sent'))"),
        (o => Names.Contains(o.Customer), "(doc.Customer in ('Ann', null))"),
        (o => Days.Contains(o.Day), "doc.Day >= '2026-01-05'"),
        (o => o.State.In(OrderState.Open), "in ('Open')"),
        (o => o.Weight == null || o.Weight > 2, "(doc.Weight = null)"),
        (o => o.Weight.HasValue && o.Weight.Value * 2 + 1 > o.Count, "((doc.Weight * 2) + 1)"),
        (o => (o.Weight ?? 7) > 3, "(doc.Weight != null ? doc.Weight : 7)"),
        (o => o.Weight.GetValueOrDefault() == 0, "doc.Weight"),
        (o => o.At >= Start.AddDays(3), "(doc.At >= '2026-01-04T00:00:00Z')"),
        (o => o.At == Start.AddDays(4), "doc.At <= '2026-01-05T00:00:00Z'"),
        (o => o.Day < new DateOnly(2026, 1, 4), "(doc.Day < '2026-01-04')"),
        (o => o.ShipTo != null && o.ShipTo.City == "Oslo's \\ \"harbour\"", "(doc.ShipTo.City = 'Oslo\\'s"),
        (o => o.Id == "orders/3", "(id() = 'orders/3')"),
        (o => o.Tags.Contains("new"), "doc.Tags.includes('new')"),
        (o => o.Tags.Any(), "(doc.Tags.length > 0)"),
        (o => o.Tags.Count == 2 || o.Lines.Count() > 2, "doc.Lines.length"),
        (
            o => o.Lines.Any(l => l.Price > 3 && l.Quantity >= 2),
            "doc.Lines.some(x1 => ((x1.Price > 3) and (x1.Quantity >= 2)))"
        ),
        (o => o.Lines.All(l => l.Product != "p/1"), "doc.Lines.every("),
        (o => o.Lines.Any(l => l.Price * l.Quantity > o.Total), "x1.Quantity"),
        (o => o.Lines.Where(l => l.Quantity > 1).Sum(l => l.Price) > 5, ".reduce((a, b) => a + b, 0)"),
        (o => o.Lines.Count(l => l.Quantity == 1) == 1, ".filter(x1 => (x1.Quantity = 1)).length"),
        (o => o.Lines.Select(l => l.Product).Contains("p/2"), ".map(x1 => x1.Product).includes('p/2')"),
        (o => string.IsNullOrEmpty(o.Customer), "(doc.Customer = null or doc.Customer = '')"),
        (o => string.IsNullOrWhiteSpace(o.Customer), ".trim() = ''"),
        (o => o.Customer != null && o.Customer.StartsWith('A'), "doc.Customer.startsWith('A')"),
        (
            o => o.Customer != null && o.Customer.Contains("NN", StringComparison.OrdinalIgnoreCase),
            ".toLowerCase().includes('NN'.toLowerCase())"
        ),
        (
            o => o.Customer != null && o.Customer.ToUpperInvariant().EndsWith("NN", StringComparison.Ordinal),
            ".toUpperCase().endsWith('NN')"
        ),
        (
            o =>
                o.Customer != null
                && (o.Customer.Length > 3 || o.Customer.Length > 1 && o.Customer.Substring(1) == "nn"),
            ".substr(1)"
        ),
        (o => string.Equals(o.Customer, "ANN", StringComparison.OrdinalIgnoreCase), ".toLowerCase() ="),
        (o => o.Customer == o.Company, "(doc.Customer = doc.Company)"),
        (o => o.IsUrgent ? o.Total > 5 : o.Count > 3, "(not (doc.IsUrgent = true) and (doc.Count > 3))"),
        (o => o.Tags.Contains("late") == false, "? true : false)"),
        (o => o.Total / 2 > 6 || o.Count % 3 == 1, "(doc.Total / 2)"),
        (o => o.Customer + "/" + o.Count == "Ann/3", "+ '/')"),
        (o => true, "1 = 1"),
        (o => Days.Length == 0, "1 = 0"),
    ];

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task A_lambda_delivers_what_it_holds_for(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        var random = new Random(20261124);
        var orders = new List<Order>();
        await f.StoreOrdersAsync(
            120,
            n =>
            {
                orders.Add(NewOrder(random, n));
                return orders[^1];
            }
        );
        for (var i = 0; i < Filters.Length; i++)
        {
            var (filter, text) = Filters[i];
            await f.Store.Subscriptions.CreateAsync($"s{i}", filter);
            var query = (await f.Store.Subscriptions.GetStateAsync($"s{i}")).Query!;
            Assert.Contains(text, query, StringComparison.Ordinal);
            var expected = orders.Where(filter.Compile()).Select(o => o.Id!).ToList();
            var found = new List<string>();
            await foreach (var batch in f.Store.Subscribe<Order>($"s{i}", All))
                found.AddRange(batch.Select(item => item.Id));
            Assert.True(
                expected.SequenceEqual(found),
                $$"""
                {{filter}}
                {{query}}
                expected: {{string.Join(' ', expected)}}
                found: {{string.Join(' ', found)}}
                """
            );
        }
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task A_lambda_goes_with_other_options_and_is_changed_like_them(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.StoreOrdersAsync(5);
        var least = 3m;
        await f.Store.Subscriptions.EnsureAsync<Order>(
            "s",
            o => o.Total >= least,
            new SubscriptionOptions { MaxAttempts = 2, Projection = "new { doc.Total }" }
        );
        await f.Store.Subscriptions.EnsureAsync<Order>(
            "t",
            new SubscriptionOptions { Where = (Order o) => o.Total < least }
        );
        Assert.Equal([3m, 4m], await TotalsAsync("s"));
        Assert.Equal([0m, 1m, 2m], await TotalsAsync("t"));
        Assert.Equal(2, f.Subscriptions.GetStatus("s")[0].Definition.MaxAttempts);
        await f.Store.Subscriptions.EnsureAsync<Order>("t", o => o.Total == 4);
        await f.StoreOrdersAsync(5, n => new Order { Total = n, Count = 1 });
        Assert.Equal([4m], await TotalsAsync("t"));

        async Task<List<decimal>> TotalsAsync(string name)
        {
            var totals = new List<decimal>();
            await f
                .Store.Subscribe<Order>(name, All)
                .RunAsync(
                    (order, _) =>
                    {
                        totals.Add(order.Total);
                        return Task.CompletedTask;
                    }
                );
            return totals;
        }
    }

    [Fact]
    public async Task What_a_filter_cannot_say_is_named_with_a_way_round()
    {
        await using var f = await ClientFixture.OpenAsync(false);
        await RefusedAsync(o => o.Customer!.GetHashCode() == 1, "GetHashCode", "in the handler");
        await RefusedAsync(o => o.At > DateTime.UtcNow, "DateTime.UtcNow", "time of the creation");
        await RefusedAsync(o => o.At.Year == 2026, "At.Year", "in the handler");
        await RefusedAsync(o => o.Count / 2 > 3, "(o.Count / 2)", "multiply the other side");
        await RefusedAsync(o => o.State > OrderState.Open, "OrderState", "Contains");
        await RefusedAsync(o => (int)o.Total == 5, "Convert(o.Total");
        await RefusedAsync(o => o.IsUrgent ^ (o.Count > 1), "^");
        await RefusedAsync(o => new[] { new Address("a", null) }.Contains(o.ShipTo), "not a Address");
        var both = await Assert.ThrowsAsync<SubscriptionException>(() =>
            f.Store.Subscriptions.CreateAsync<Order>("s", o => true, new SubscriptionOptions { Filter = "true" })
        );
        Assert.Contains("has Where and Filter", both.Message, StringComparison.Ordinal);
        var other = await Assert.ThrowsAsync<SubscriptionException>(() =>
            f.Store.Subscriptions.CreateAsync<Order>(
                "s",
                new SubscriptionOptions { Where = (Company c) => c.Name == "x" }
            )
        );
        Assert.Contains("tests a Company", other.Message, StringComparison.Ordinal);
        Assert.Empty(await f.Store.Subscriptions.ListAsync());

        async Task RefusedAsync(Expression<Func<Order, bool>> filter, params string[] parts)
        {
            var refused = await Assert.ThrowsAsync<UnsupportedExpressionException>(() =>
                f.Store.Subscriptions.CreateAsync("s", filter)
            );
            Assert.Contains("cannot be part of a subscription's filter", refused.Message, StringComparison.Ordinal);
            Assert.All(parts, p => Assert.Contains(p, refused.Message, StringComparison.Ordinal));
        }
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task A_paused_subscription_delivers_nothing_until_it_is_resumed(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.Store.Subscriptions.CreateAsync<Order>("s", o => o.Total > 0);
        await f.Store.Subscriptions.PauseAsync("s");
        await f.Store.Subscriptions.PauseAsync("s");
        await f.StoreOrdersAsync(4);
        var state = await f.Store.Subscriptions.GetStateAsync("S");
        Assert.Equal(
            ("s", true, 4L, 0L, 0L),
            (state.Name, state.IsPaused, state.Backlog, state.InFlight, state.Acknowledged)
        );
        Assert.Empty(state.Workers);
        Assert.Null(state.LastAcknowledged);

        // A worker waits for longer than it would for a server that is gone.
        var time = new ManualTimeProvider();
        var run = f
            .Store.Subscribe<Order>("s", All with { MaxReconnectTime = TimeSpan.FromMinutes(1), Time = time })
            .RunAsync((_, _) => Task.CompletedTask);
        for (var i = 0; i < 4; i++)
        {
            await time.NextTimerAsync();
            Assert.False(run.IsCompleted);
            if (i == 3)
                await f.Store.Subscriptions.ResumeAsync("s");
            time.Advance(TimeSpan.FromMinutes(2));
        }

        Assert.Equal(3, await run);
        await f.Store.Subscriptions.ResumeAsync("s");
        state = await f.Store.Subscriptions.GetStateAsync("s");
        Assert.Equal(
            (false, 0L, TimeSpan.Zero, 3L),
            (state.IsPaused, state.Backlog, state.BacklogAge, state.Acknowledged)
        );
        Assert.NotNull(state.LastAcknowledged);
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task States_show_workers_and_what_was_parked(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.StoreOrdersAsync(3);
        await f.Store.Subscriptions.CreateAsync<Order>("b", new SubscriptionOptions { MaxAttempts = 1 });
        await f.Store.Subscriptions.CreateAsync<Order>("a", new SubscriptionOptions { Filter = "doc.Total > 0" });
        await using var worker = f
            .Store.Subscribe<Order>("b", All with { WorkerName = "w1", MaxBatchCount = 2 })
            .GetAsyncEnumerator();
        Assert.True(await worker.MoveNextAsync());
        var states = await f.Store.Subscriptions.ListAsync();
        Assert.Equal(["a", "b"], states.Select(s => s.Name));
        Assert.Equal("doc.Total > 0", states[0].Filter);
        Assert.Equal((2L, "w1", 0L), (states[1].InFlight, Assert.Single(states[1].Workers), states[1].Parked));
        worker.Current.Reject(worker.Current[0], "no such customer");
        Assert.True(await worker.MoveNextAsync());
        var state = await f.Store.Subscriptions.GetStateAsync("b");
        Assert.Equal((1L, 1L), (state.Parked, state.InFlight));
        Assert.Contains("no such customer", state.LastError, StringComparison.Ordinal);

        foreach (
            var call in new Func<Task>[]
            {
                () => f.Store.Subscriptions.PauseAsync("x"),
                () => f.Store.Subscriptions.ResumeAsync("x"),
                () => f.Store.Subscriptions.GetStateAsync("x"),
            }
        )
        {
            var missing = await Assert.ThrowsAsync<SubscriptionException>(call);
            Assert.Equal(
                (SubscriptionProblem.NotFound, "x", "There is no subscription 'x'; there are: a, b."),
                (missing.Problem, missing.Subscription, missing.Message)
            );
        }
    }

    private static Order NewOrder(Random random, int n) =>
        new()
        {
            Id = $"orders/{n}",
            Customer = random.Next(7) switch
            {
                0 => null,
                1 => "",
                2 => "  ",
                3 => "Bobby",
                4 => "ann",
                _ => "Ann",
            },
            Company = random.Next(2) == 0 ? "Ann" : null,
            Total = random.Next(80) / 4m,
            Count = random.Next(6),
            Weight = random.Next(3) == 0 ? null : random.Next(5),
            IsUrgent = random.Next(2) == 0,
            State = (OrderState)random.Next(3),
            Day = new DateOnly(2026, 1, 1).AddDays(random.Next(8)),
            At = Start.AddDays(random.Next(8)),
            ShipTo =
                random.Next(3) == 0
                    ? null
                    : new Address(random.Next(2) == 0 ? "Oslo's \\ \"harbour\"" : "Bergen", null),
            Tags = [.. new[] { "new", "late" }.Where(_ => random.Next(2) == 0)],
            Lines =
            [
                .. Enumerable
                    .Range(0, random.Next(4))
                    .Select(_ => new Line("p/" + random.Next(3), random.Next(24) / 4m, random.Next(4))),
            ],
        };
}
