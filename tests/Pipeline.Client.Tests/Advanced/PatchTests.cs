using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.Json.Serialization;
using Xunit;

namespace Pipeline.Client.Tests.Advanced;

/// <summary>Changes without loading, in the process and over HTTP.</summary>
public sealed partial class PatchTests
{
    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task Members_are_set_in_the_transaction_of_the_save(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.StoreOrdersAsync(
            1,
            _ => new Order
            {
                Customer = "Ann",
                Count = 1,
                ShipTo = new Address("Oslo", null),
                Tags = ["a", "b", "a"],
            }
        );
        await using var session = f.Store.OpenSession();
        var patches = session.Advanced;
        patches.Patch("orders/0", (Order o) => o.Total, 12.50m);
        patches.Patch("orders/0", (Order o) => o.State, OrderState.Paid);
        patches.Patch("orders/0", (Order o) => o.Weight, 1L << 40);
        patches.Patch("orders/0", (Order o) => o.ShipTo!.City, "Tromsø \"north\"");
        patches.Patch("orders/0", (Order o) => o.Customer, null);
        patches.Patch("orders/0", (Order o) => o.Day, new DateOnly(2026, 1, 2));
        patches.Increment("orders/0", (Order o) => o.Count, 4);
        patches.Patch(
            "orders/0",
            (Order o) => o.Lines,
            lines =>
                lines
                    .Add(new Line("tea", 2.5m, 1))
                    .Add(new Line("milk", 1, 2), new Line("rice", 1, 3))
                    .Insert(0, new Line("salt", 1, 1))
                    .RemoveAt(1)
        );
        patches.Patch("orders/0", (Order o) => o.Tags, tags => tags.Remove("a").Add("c"));
        session.Store(new Company("companies/1", "Tea & Co"));
        Assert.True(patches.HasChanges);
        var before = f.Database.OpenSnapshot();
        var position = before.LastPosition;
        before.Dispose();
        await session.SaveChangesAsync();
        Assert.False(patches.HasChanges);
        Assert.Equal(1, patches.RequestCount);
        using (var after = f.Database.OpenSnapshot())
            Assert.Equal(position + 2, after.LastPosition);
        var order = (await session.LoadAsync<Order>("orders/0"))!;
        Assert.Equal(
            (12.50m, OrderState.Paid, 1L << 40, "Tromsø \"north\"", null, new DateOnly(2026, 1, 2), 5),
            (order.Total, order.State, order.Weight, order.ShipTo!.City, order.Customer, order.Day, order.Count)
        );
        Assert.Equal(["salt", "milk", "rice"], order.Lines.Select(l => l.Product));
        Assert.Equal(["b", "c"], order.Tags);
        patches.Patch("orders/0", (Order o) => o.Tags, tags => tags.Clear());
        await session.SaveChangesAsync();
        Assert.Empty(order.Tags);
        Assert.Equal(1, await session.Query<Order>().CountAsync(o => o.State == OrderState.Paid && o.Count == 5));
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task A_script_runs_with_its_parameters(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.StoreOrdersAsync(1);
        await using var session = f.Store.OpenSession();
        session.Advanced.Patch(
            "orders/0",
            "this.Count += args.n; this.Tags.push(args.tag)",
            new { n = 3, tag = "new" }
        );
        session.Advanced.Patch("orders/0", "this.Count += args.n", new JsonObject { ["n"] = 10 });
        session.Advanced.Patch(
            "orders/0",
            "this.Total = args.total; this.Tags = this.Tags.concat(args.tags)",
            new Dictionary<string, object?> { ["total"] = 1.5m, ["tags"] = new[] { "x", "y" } }
        );
        session.Advanced.Patch(
            "orders/0",
            "put('companies/9', { Name: 'made', '@metadata': { '@collection': 'Companies' } })"
        );
        session.Advanced.Patch("orders/none", "this.Count = 1");
        await session.SaveChangesAsync();
        var order = (await session.LoadAsync<Order>("orders/0"))!;
        Assert.Equal((13, 1.5m), (order.Count, order.Total));
        Assert.Equal(["new", "x", "y"], order.Tags);
        Assert.Equal("made", (await session.Query<Company>().SingleAsync(c => c.Name == "made")).Name);
        Assert.Null(await session.LoadAsync<Order>("orders/none"));
        Assert.Throws<ArgumentException>(() => session.Advanced.Patch("orders/0", "this.Count = 1", 3));
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task A_script_that_fails_stores_nothing(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.StoreOrdersAsync(1);
        await using var session = f.Store.OpenSession();
        session.Store(new Company("companies/1", "Tea & Co"));
        session.Advanced.Increment("orders/0", (Order o) => o.Count, 1);
        session.Advanced.Patch("orders/0", "this.Count = this.Missing.Member");
        await Assert.ThrowsAsync<PatchException>(() => session.SaveChangesAsync());
        await using (var other = f.Store.OpenSession())
        {
            Assert.Null(await other.LoadAsync<Company>("companies/1"));
            Assert.Equal(0, (await other.LoadAsync<Order>("orders/0"))!.Count);
            other.Advanced.Patch("orders/0", "this.Count = = 1");
            Assert.Contains(
                "line 1",
                (await Assert.ThrowsAsync<PatchException>(() => other.SaveChangesAsync())).Message,
                StringComparison.Ordinal
            );
        }

        Assert.True(session.Advanced.HasChanges);
        session.Advanced.Clear();
        Assert.False(session.Advanced.HasChanges);
        await session.SaveChangesAsync();
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task The_object_of_a_patched_document_gets_the_new_values(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(
            isRemote,
            new DocumentStoreOptions { UseOptimisticConcurrency = true }
        );
        await f.StoreOrdersAsync(2);
        await using var session = f.Store.OpenSession();
        var order = (await session.LoadAsync<Order>("orders/0"))!;
        var vector = session.Advanced.GetChangeVector(order);
        session.Advanced.Patch(order, o => o.Customer, "Ann");
        session.Advanced.Increment(order, o => o.Count, 2);
        session.Advanced.Patch(order, o => o.Tags, tags => tags.Add("new"));
        await session.SaveChangesAsync();
        Assert.Equal(("Ann", 2, "new"), (order.Customer, order.Count, Assert.Single(order.Tags)));
        Assert.NotEqual(vector, session.Advanced.GetChangeVector(order));
        Assert.False(session.Advanced.HasChanges);
        order.Customer = "Bob";
        await session.SaveChangesAsync();
        order.Customer = "Cid";
        session.Advanced.Patch(order, o => o.Count, 9);
        var refused = await Assert.ThrowsAsync<InvalidOperationException>(() => session.SaveChangesAsync());
        Assert.Contains("'orders/0'", refused.Message, StringComparison.Ordinal);
        await using var other = f.Store.OpenSession();
        Assert.Equal(
            ("Bob", 2),
            await other.LoadAsync<Order>("orders/0") is { } stored ? (stored.Customer, stored.Count) : default
        );
        var fresh = new Order();
        other.Store(fresh);
        Assert.Throws<InvalidOperationException>(() => other.Advanced.Patch(fresh, o => o.Count, 9));
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task An_object_that_cannot_be_set_is_loaded_anew(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await using var session = f.Store.OpenSession();
        session.Store(new Fixed("a", 1), "fixed/1");
        await session.SaveChangesAsync();
        var old = await session.LoadAsync<Fixed>("fixed/1");
        session.Advanced.Patch("fixed/1", (Fixed x) => x.Count, 5);
        await session.SaveChangesAsync();
        Assert.Equal(1, old!.Count);
        Assert.Equal(5, (await session.LoadAsync<Fixed>("fixed/1"))!.Count);
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task A_generated_context_names_members_and_values(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(
            isRemote,
            new DocumentStoreOptions
            {
                Json = new()
                {
                    TypeInfoResolver = PatchContext.Default,
                    PropertyNamingPolicy = JsonNamingPolicy.CamelCase,
                },
            }
        );
        await using var session = f.Store.OpenSession();
        session.Store(
            new Card
            {
                Id = "cards/1",
                Name = "a",
                Numbers = [1],
            }
        );
        session.Store(new Ticket("tickets/1", 5));
        session.Advanced.CompareExchange.Put("cards", new Ticket("tickets/1", 3));
        await session.SaveChangesAsync();
        var (card, ticket) = (await session.LoadAsync<Card>("cards/1"), await session.LoadAsync<Ticket>("tickets/1"));
        session.Advanced.Patch("cards/1", (Card c) => c.Name, "b");
        session.Advanced.Patch("cards/1", (Card c) => c.Numbers, numbers => numbers.Add(2));
        session.Advanced.Patch(
            "tickets/1",
            "this.count += args.by.n",
            new JsonObject { ["by"] = new JsonObject { ["n"] = 2 } }
        );
        await session.SaveChangesAsync();
        Assert.Equal(("b", 2), (card!.Name, card.Numbers.Count));
        Assert.Equal(7, (await session.LoadAsync<Ticket>("tickets/1"))!.Count);
        Assert.Equal(3, (await session.Advanced.CompareExchange.GetAsync<Ticket>("cards"))!.Value.Count);
        Assert.Throws<NotSupportedException>(() =>
            session.Advanced.Patch("tickets/1", "this.count = args.n", new { n = 1 })
        );
        Assert.Equal(5, ticket!.Count);
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task Values_are_stored_with_all_their_digits(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.StoreOrdersAsync(
            1,
            _ => new Order { Lines = [new Line("kept", 1234567890.0987654321m, 1)], Total = decimal.MaxValue }
        );
        await using var session = f.Store.OpenSession();
        var at = new DateTime(2026, 1, 2, 3, 4, 5, 678, DateTimeKind.Utc);
        const string Text = "\"\\\u2028\ud83d\ude00";
        session.Advanced.Patch("orders/0", (Order o) => o.Weight, (1L << 53) - 1);
        session.Advanced.Patch("orders/0", (Order o) => o.At, at);
        session.Advanced.Patch(
            "orders/0",
            (Order o) => o.Lines,
            lines => lines.Add(new Line(Text, 123456789.012345m, int.MinValue))
        );
        await session.SaveChangesAsync();
        var order = (await session.LoadAsync<Order>("orders/0"))!;
        Assert.Equal(((1L << 53) - 1, decimal.MaxValue, at), (order.Weight, order.Total, order.At));
        Assert.Equal(
            [new Line("kept", 1234567890.0987654321m, 1), new Line(Text, 123456789.012345m, int.MinValue)],
            order.Lines
        );
        session.Advanced.Patch("orders/0", (Order o) => o.Weight, -2_000_000_000_000_000);
        session.Advanced.Patch("orders/0", (Order o) => o.Total, 0.1m);
        await session.SaveChangesAsync();
        Assert.Equal((-2_000_000_000_000_000, 0.1m), (order.Weight, order.Total));
        session.Advanced.Increment("orders/0", (Order o) => o.Count, 1);
        Assert.Throws<ArgumentOutOfRangeException>(() =>
            session.Advanced.Patch("orders/0", (Order o) => o.Tags, tags => tags.Clear().Insert(-1, "x"))
        );
        Assert.Throws<ArgumentException>(() =>
            session.Advanced.Patch(
                "orders/0",
                (Order o) => o.Lines,
                lines => lines.Clear().Add(new Line("", 0.12345678901234567890m, 1))
            )
        );
        await session.SaveChangesAsync();
        Assert.Equal((1, 2), (order.Count, order.Lines.Count));
        foreach (var many in new[] { 1L << 53, long.MaxValue - 1, long.MinValue, 2_000_000_000_000_000_000 })
            Assert.Throws<ArgumentException>(() => session.Advanced.Patch("orders/0", (Order o) => o.Weight, many));
        Assert.Throws<ArgumentException>(() =>
            session.Advanced.Patch("orders/0", (Order o) => o.Total, 0.12345678901234567890m)
        );
        Assert.Throws<ArgumentException>(() =>
            session.Advanced.Patch(
                "orders/0",
                (Order o) => o.Lines,
                lines => lines.Add(new Line("", decimal.MaxValue, 1))
            )
        );
        Assert.False(session.Advanced.HasChanges);
    }

    [Fact]
    public async Task What_a_patch_cannot_set_is_refused_by_name()
    {
        await using var f = await ClientFixture.OpenAsync(false);
        await using var session = f.Store.OpenSession();
        Refused("id", () => session.Advanced.Patch("orders/0", (Order o) => o.Id, "orders/1"));
        Refused("member's type", () => session.Advanced.Patch("orders/0", (Order o) => o.Count, 1.5));
        Refused("name a member", () => session.Advanced.Patch("orders/0", (Order o) => o.Customer!.Length, 1));
        Refused(
            "name a member",
            () =>
                session.Advanced.Patch("orders/0", (Order o) => o.Lines.Select(l => l.Product), lines => lines.Add("x"))
        );
        Refused("own JSON conversion", () => session.Advanced.Patch("fixed/0", (Fixed x) => x.Level, OrderState.Paid));
        Assert.False(session.Advanced.HasChanges);

        static void Refused(string words, Action patch) =>
            Assert.Contains(
                words,
                Assert.Throws<UnsupportedExpressionException>(patch).Message,
                StringComparison.Ordinal
            );
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task What_a_query_finds_is_patched_and_deleted(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.StoreOrdersAsync(600);
        Assert.Equal(
            500,
            await f.Store.PatchByQueryAsync(
                "from Orders as o where o.Total >= $p0 update { o.Count = args.p1; o.Tags.push('large') }",
                [100, 7]
            )
        );
        await using var session = f.Store.OpenSession();
        Assert.Equal(500, await session.Query<Order>().CountAsync(o => o.Count == 7 && o.Tags.Contains("large")));
        Assert.Equal(550, await f.Store.DeleteByQueryAsync("from Orders where Total < $p0", [550]));
        Assert.Equal(50, await session.Query<Order>().CountAsync());
        Assert.Equal(0, await f.Store.DeleteByQueryAsync("from Companies"));
        await Assert.ThrowsAsync<QueryException>(() => f.Store.PatchByQueryAsync("from Orders"));
        await Assert.ThrowsAsync<QueryException>(() =>
            f.Store.PatchByQueryAsync("form Orders update { this.Count = 1 }")
        );
        await Assert.ThrowsAsync<PatchException>(() =>
            f.Store.PatchByQueryAsync("from Orders update { this.Count = = 1 }")
        );
        await Assert.ThrowsAsync<PatchException>(() =>
            f.Store.PatchByQueryAsync("from Orders update { this.Count = this.Missing.Member }")
        );
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() =>
            f.Store.DeleteByQueryAsync("from Orders", null, new CancellationToken(true))
        );
        Assert.Equal(50, await session.Query<Order>().CountAsync());
    }

    internal sealed class Fixed(string name, int count)
    {
        public string Name { get; } = name;

        public int Count { get; } = count;

        [JsonConverter(typeof(JsonNumberEnumConverter<OrderState>))]
        public OrderState Level { get; init; }
    }

    internal sealed class Card
    {
        public string? Id { get; set; }

        public string? Name { get; set; }

        public List<int> Numbers { get; set; } = [];
    }

    internal sealed record Ticket(string Id, int Count);

    [JsonSerializable(typeof(Card))]
    [JsonSerializable(typeof(Ticket))]
    internal sealed partial class PatchContext : JsonSerializerContext;
}
