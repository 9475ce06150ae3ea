using Pipeline.Client;
using Pipeline.Database;
using Xunit;

namespace Pipeline.Tests.Guides;

/// <summary>The code of docs/guides/events.md.</summary>
public sealed class EventGuideTests
{
    [Fact]
    public async Task A_cart_is_appended_projected_and_queried()
    {
        await using var database = DocumentDatabase.Open(new DatabaseOptions { Name = "shop" });
        await using var store = database.AsStore();

        await store.Events.AppendAsync("carts/1", [new CartOpened("Ann"), new ItemAdded("tea", 4.50m)]);
        await store.Events.AppendAsync(
            "carts/1",
            [new ItemAdded("milk", 1.50m)],
            new AppendOptions { ExpectedNumber = 2 }
        );

        var lines = new List<string>();
        await foreach (var item in store.Events.ReadAsync("carts/1"))
        {
            if (item.Is<ItemAdded>())
                lines.Add($"{item.Number}: {item.Read<ItemAdded>().Product}");
        }

        Assert.Equal(["2: tea", "3: milk"], lines);

        await store.Events.ProjectAsync(new Carts(), untilCurrent: true);
        var large = await store.Query<Cart>().Where(c => c.Total > 5).ToListAsync();

        Assert.Equal(("carts/1", "Ann", 6m), (large.Single().Id, large.Single().Owner, large.Single().Total));

        var now = await store.Events.BuildAsync(new Carts(), "carts/1");
        Assert.Equal(6m, now!.Total);
    }
}

internal sealed record CartOpened(string Owner);

internal sealed record ItemAdded(string Product, decimal Price);

internal sealed record CartDropped;

internal sealed class Cart
{
    public string? Id { get; set; }

    public string? Owner { get; set; }

    public decimal Total { get; set; }
}

internal sealed class Carts : DocumentProjection<Cart>
{
    public Carts()
    {
        On<CartOpened>((cart, e) => cart.Owner = e.Owner);
        On<ItemAdded>((cart, e) => cart.Total += e.Price);
        DeleteOn<CartDropped>();
    }
}
