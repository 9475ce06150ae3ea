using System.Text.Json.Serialization;
using Xunit;

namespace Pipeline.Client.Tests;

/// <summary>Events as objects, and documents made of them, in the process and over HTTP.</summary>
public sealed class EventTests
{
    public static TheoryData<bool> Ways => ClientFixture.Ways;

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Events_are_read_as_the_objects_that_were_appended(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        var options = new AppendOptions { Tags = ["web", "vip"] };
        Assert.Equal(
            2,
            await f.Store.Events.AppendAsync("carts/1", [new CartOpened("Ann"), new ItemAdded("tea", 4.5m)])
        );
        Assert.Equal(1, await f.Store.Events.AppendAsync("carts/2", [new CartOpened("Bo")], options));
        Assert.Equal(3, await f.Store.Events.AppendAsync("carts/1", [new CartClosed()]));

        var first = await f.Store.Events.ReadAsync("carts/1").ToListAsync();
        Assert.Equal([1L, 2, 3], first.Select(e => e.Number));
        Assert.Equal(["CartOpened", "item-added", "CartClosed"], first.Select(e => e.Name));
        Assert.Equal(new ItemAdded("tea", 4.5m), first[1].Read<ItemAdded>());
        Assert.True(first[1].Is<ItemAdded>() && !first[1].Is<CartOpened>());

        var all = await f.Store.Events.ReadAllAsync().ToListAsync();
        Assert.Equal(["carts/1", "carts/1", "carts/2", "carts/1"], all.Select(e => e.StreamId));
        Assert.Equal(all.Select(e => e.Position).Order().Distinct(), all.Select(e => e.Position));
        Assert.Equal(["web", "vip"], all[2].Tags);
        Assert.Equal(
            [all[3].Position],
            (await f.Store.Events.ReadAllAsync(all[2].Position).ToListAsync()).Select(e => e.Position)
        );
        Assert.Equal(3, await f.Store.Events.GetLastNumberAsync("carts/1"));
        Assert.Equal(0, await f.Store.Events.GetLastNumberAsync("carts/9"));
        Assert.Empty(await f.Store.Events.ReadAsync("carts/9").ToListAsync());
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task An_append_fails_if_the_stream_is_not_as_expected(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await AppendAsync(0);
        await AppendAsync(1);
        foreach (var expected in new[] { 0L, 1, 3, 9 })
        {
            Assert.Contains(
                "up to number 2",
                (await Assert.ThrowsAsync<ConcurrencyException>(() => AppendAsync(expected))).Message,
                StringComparison.Ordinal
            );
        }
        await Assert.ThrowsAsync<ConcurrencyException>(() =>
            f.Store.Events.AppendAsync("carts/1", [], new() { ExpectedNumber = 1 })
        );
        var error = await Assert.ThrowsAsync<EventAppendException>(() =>
            f.Store.Events.AppendAsync(new string('s', 600), [new CartClosed()])
        );
        Assert.Equal(600, error.StreamId.Length);
        Assert.Equal(2, await f.Store.Events.GetLastNumberAsync("carts/1"));

        Task<long> AppendAsync(long expected) =>
            f.Store.Events.AppendAsync("carts/1", [new ItemAdded("tea", 1)], new() { ExpectedNumber = expected });
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Long_streams_are_read_in_parts_and_followed(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        const int Count = 5_000;
        for (var n = 0; n < Count; n += 500)
        {
            await f.Store.Events.AppendAsync(
                "carts/1",
                [.. Enumerable.Range(n, 500).Select(i => new ItemAdded("tea", i))]
            );
        }
        Assert.Equal(
            Enumerable.Range(2_000, Count - 2_000).Select(i => (decimal)i),
            await f.Store.Events.ReadAsync("carts/1", 2_001).Select(e => e.Read<ItemAdded>().Price).ToListAsync()
        );
        var seen = 0;
        await foreach (var item in f.Store.Events.FollowAsync())
        {
            Assert.Equal(seen++, item.Read<ItemAdded>().Price);
            if (seen == Count)
                await f.Store.Events.AppendAsync("carts/2", [new ItemAdded("milk", Count)]);
            if (seen > Count)
                break;
        }
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Events_are_documents_of_a_collection_if_wanted(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.Store.Events.AppendAsync("carts/1", [new ItemAdded("tea", 4)], new() { Collection = "CartEvents" });
        await using var session = f.Store.OpenSession();
        var found = await session
            .RawQuery<Dictionary<string, object>>("from CartEvents where Event.Product = 'tea'")
            .StreamAsync()
            .ToListAsync();
        Assert.Equal("carts/1", found.Single()["StreamId"].ToString());
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task A_projection_makes_changes_deletes_and_makes_again(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        var carts = new Carts();
        await f.Store.Events.AppendAsync("carts/1", [new CartOpened("Ann"), new ItemAdded("tea", 4.5m), new Ignored()]);
        await f.Store.Events.AppendAsync("carts/2", [new CartOpened("Bo"), new CartClosed()]);
        await f.Store.Events.AppendAsync("carts/3", [new CartOpened("Cid"), new CartClosed(), new CartOpened("Di")]);
        Assert.Equal(7, await f.Store.Events.ProjectAsync(carts, untilCurrent: true));
        Assert.Equal(0, await f.Store.Events.ProjectAsync(carts, untilCurrent: true));
        Assert.Equal(("Ann", 4.5m, 2), await ReadAsync("carts/1"));
        Assert.Null(await ReadAsync("carts/2"));
        Assert.Equal(("Di", 0m, 1), await ReadAsync("carts/3"));

        // In a later transaction the stored document goes and comes, too.
        await f.Store.Events.AppendAsync("carts/1", [new CartClosed(), new CartOpened("Ed"), new ItemAdded("milk", 2)]);
        await f.Store.Events.AppendAsync("carts/3", [new CartClosed()]);
        Assert.Equal(4, await f.Store.Events.ProjectAsync(carts, untilCurrent: true));
        Assert.Equal(("Ed", 2m, 2), await ReadAsync("carts/1"));
        Assert.Null(await ReadAsync("carts/3"));
        var built = await f.Store.Events.BuildAsync(carts, "carts/1");
        Assert.Equal(("Ed", 2m, 2), (built!.Owner, built.Total, built.Changes));
        Assert.Null(await f.Store.Events.BuildAsync(carts, "carts/3"));

        async Task<(string?, decimal, int)?> ReadAsync(string id) =>
            await f.Store.LoadAsync<Cart>(id) is { } cart ? (cart.Owner, cart.Total, cart.Changes) : null;
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Each_event_counts_once_with_three_runs_and_others_who_write(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        const int Events = 3_000;
        var random = new Random(20261124);
        for (var n = 0; n < Events; n += 100)
        {
            await f.Store.Events.AppendAsync(
                "carts/" + random.Next(5),
                [.. Enumerable.Range(0, 100).Select(_ => new ItemAdded("tea", 1))]
            );
        }

        var runs = Enumerable
            .Range(0, 3)
            .Select(_ => Task.Run(() => f.Store.Events.ProjectAsync(new Carts(), untilCurrent: true)));
        var others = Task.Run(async () =>
        {
            for (var n = 0; n < 50; n++)
            {
                await using var session = f.Store.OpenSession(new() { UseOptimisticConcurrency = true });
                var cart = await session.LoadAsync<Cart>("carts/1");
                if (cart is null)
                    session.Store(cart = new Cart(), "carts/1");
                cart.Visits++;
                try
                {
                    await session.SaveChangesAsync();
                }
                catch (ConcurrencyException)
                {
                    // The projection was faster: this visit does not count.
                }
            }
        });
        var applied = await Task.WhenAll(runs);
        await others;
        Assert.Equal(Events, applied.Sum());
        Assert.Equal(Events, (await f.Store.Query<Cart>().ToListAsync()).Sum(c => c.Changes));
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task A_failed_projection_stores_nothing_and_goes_on_when_mended(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.Store.Events.AppendAsync(
            "carts/1",
            [new ItemAdded("tea", 1), new ItemAdded("broken", 1), new ItemAdded("milk", 1)]
        );
        var error = await Assert.ThrowsAsync<ProjectionException>(() =>
            f.Store.Events.ProjectAsync(new Carts { Refuses = "broken" }, untilCurrent: true)
        );
        Assert.Equal(("Carts", 2L), (error.Projection, error.Event.Number));
        Assert.Contains(
            "failed at event 2 (item-added) of stream 'carts/1': no broken",
            error.Message,
            StringComparison.Ordinal
        );
        Assert.Null(await f.Store.LoadAsync<Cart>("carts/1"));
        Assert.Equal(3, await f.Store.Events.ProjectAsync(new Carts(), untilCurrent: true));
        Assert.Equal(3, (await f.Store.LoadAsync<Cart>("carts/1"))!.Changes);
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task A_deleted_progress_begins_again(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.Store.Events.AppendAsync("carts/1", [new ItemAdded("tea", 1)]);
        Assert.Equal(1, await f.Store.Events.ProjectAsync(new Carts(), untilCurrent: true));
        await f.Store.DeleteAsync("projections/Carts");
        await f.Store.DeleteAsync("carts/1");
        Assert.Equal(1, await f.Store.Events.ProjectAsync(new Carts(), untilCurrent: true));
        Assert.Equal(1, (await f.Store.LoadAsync<Cart>("carts/1"))!.Changes);
    }

    [Fact]
    public async Task A_context_of_the_program_needs_to_know_its_own_classes_only()
    {
        var options = new DocumentStoreOptions { Json = new(CartJson.Default.Options) };
        await using var f = await ClientFixture.OpenAsync(isRemote: true, options);
        await f.Store.Events.AppendAsync("carts/1", [new ItemAdded("tea", 4)]);
        Assert.Equal(1, await f.Store.Events.ProjectAsync(new Carts(), untilCurrent: true));
        Assert.Equal(4, (await f.Store.LoadAsync<Cart>("carts/1"))!.Total);
        await Assert.ThrowsAsync<NotSupportedException>(() => f.Store.Events.AppendAsync("carts/1", [new Ignored()]));
    }

    [Fact]
    public void An_event_has_one_handler() =>
        Assert.Contains(
            "two handlers for the event 'item-added'",
            Assert.Throws<InvalidOperationException>(() => new Twice()).Message,
            StringComparison.Ordinal
        );

    private sealed class Twice : DocumentProjection<Cart>
    {
        public Twice()
        {
            On<ItemAdded>((cart, e) => cart.Total += e.Price);
            DeleteOn<ItemAdded>();
        }
    }

    internal sealed class Carts : DocumentProjection<Cart>
    {
        public Carts()
        {
            On<CartOpened>((cart, e) => (cart.Owner, cart.Changes) = (e.Owner, cart.Changes + 1));
            On<ItemAdded>(
                (cart, e, item) =>
                {
                    if (e.Product == Refuses)
                        throw new InvalidDataException($"no {e.Product}");
                    (cart.Total, cart.Changes, cart.Last) = (cart.Total + e.Price, cart.Changes + 1, item.Number);
                }
            );
            DeleteOn<CartClosed>();
        }

        public string? Refuses { get; init; }
    }
}

internal sealed record CartOpened(string Owner);

[EventName("item-added")]
internal sealed record ItemAdded(string Product, decimal Price);

internal sealed record CartClosed;

internal sealed record Ignored;

internal sealed class Cart
{
    public string? Id { get; set; }

    public string? Owner { get; set; }

    public decimal Total { get; set; }

    public int Changes { get; set; }

    public int Visits { get; set; }

    public long Last { get; set; }
}

[JsonSerializable(typeof(Cart))]
[JsonSerializable(typeof(ItemAdded))]
internal sealed partial class CartJson : JsonSerializerContext;
