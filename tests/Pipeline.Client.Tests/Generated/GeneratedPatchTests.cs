using System.Globalization;
using System.Text.Json;
using Xunit;

namespace Pipeline.Client.Tests.Generated;

/// <summary>Random patches change documents as the same changes in memory change objects.</summary>
public sealed class GeneratedPatchTests
{
    private const int Orders = 10;
    private static readonly string?[] Texts =
    [
        null,
        "",
        "a",
        "Tromsø",
        "\"quoted\" \\ $& </script>",
        "args.p0",
        "\u2028",
    ];

    [Theory]
    [InlineData(false, 400)]
    [InlineData(true, 100)]
    public async Task Patches_do_what_the_same_changes_do_in_memory(bool isRemote, int saves)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        var expected = Enumerable
            .Range(0, Orders)
            .Select(n => new Order { Id = $"orders/{n}", ShipTo = new Address("Oslo", null) })
            .ToList();
        await f.StoreOrdersAsync(Orders, n => new Order { ShipTo = new Address("Oslo", null) });
        var random = new Random(20261124);
        for (var save = 0; save < saves; save++)
        {
            await using var session = f.Store.OpenSession();
            var loaded = await session.LoadAsync<Order>($"orders/{random.Next(Orders)}");
            for (var change = random.Next(1, 6); change > 0; change--)
            {
                Change(
                    session.Advanced,
                    random.Next(2) == 0 ? loaded!.Id! : $"orders/{random.Next(Orders)}",
                    expected,
                    random
                );
            }

            await session.SaveChangesAsync();
            Assert.Equal(Json(expected.Single(o => o.Id == loaded!.Id)), Json(loaded!));
        }

        await using var reader = f.Store.OpenSession();
        foreach (var order in expected)
            Assert.Equal(Json(order), Json((await reader.LoadAsync<Order>(order.Id!))!));
    }

    private static void Change(ISessionAdvanced patches, string id, List<Order> expected, Random random)
    {
        var order = expected.Single(o => o.Id == id);
        var (text, number, at) = (Texts[random.Next(Texts.Length)], random.Next(-1_000, 1_000), random.Next(4));
        var line = new Line(text ?? "tea", number / 4m, at);
        switch (random.Next(14))
        {
            case 0:
                patches.Patch(id, (Order o) => o.Customer, order.Customer = text);
                break;
            case 1:
                patches.Patch(id, (Order o) => o.Total, order.Total = number / 4m);
                break;
            case 2:
                patches.Patch(
                    id,
                    (Order o) => o.Weight,
                    order.Weight = number < 0 ? null : number * 1_000_000_000_000L
                );
                break;
            case 3:
                patches.Patch(id, (Order o) => o.State, order.State = (OrderState)(at % 3));
                break;
            case 4:
                patches.Patch(id, (Order o) => o.Day, order.Day = new DateOnly(2026, 1, 1).AddDays(number));
                break;
            case 5:
                order.ShipTo = order.ShipTo! with { City = text ?? "Bergen" };
                patches.Patch(id, (Order o) => o.ShipTo!.City, text ?? "Bergen");
                break;
            case 6:
                order.Count += number;
                patches.Increment(id, (Order o) => o.Count, number);
                break;
            case 7:
                order.Total += number / 8m;
                patches.Increment(id, (Order o) => o.Total, number / 8m);
                break;
            case 8:
                order.Lines.Add(line);
                order.Tags.Insert(Math.Min(at, order.Tags.Count), text ?? "");
                patches.Patch(id, (Order o) => o.Lines, lines => lines.Add(line));
                patches.Patch(id, (Order o) => o.Tags, tags => tags.Insert(at, text ?? ""));
                break;
            case 9:
                order.Lines.Insert(Math.Min(at, order.Lines.Count), line);
                patches.Patch(id, (Order o) => o.Lines, lines => lines.Insert(at, line));
                break;
            case 10:
                if (at < order.Lines.Count)
                    order.Lines.RemoveAt(at);
                patches.Patch(id, (Order o) => o.Lines, lines => lines.RemoveAt(at));
                break;
            case 11:
                order.Tags.RemoveAll(t => t == (text ?? ""));
                patches.Patch(id, (Order o) => o.Tags, tags => tags.Remove(text ?? ""));
                break;
            case 12:
                order.Lines.Clear();
                order.Lines.Add(line);
                patches.Patch(id, (Order o) => o.Lines, lines => lines.Clear().Add(line));
                break;
            default:
                order.IsUrgent = !order.IsUrgent;
                patches.Patch(
                    id,
                    "this.IsUrgent = !this.IsUrgent; this.Company = args.company",
                    new { company = order.Company = text }
                );
                break;
        }
    }

    // Scripts write 1.50 as 1.5.
    private static string Json(Order order)
    {
        using var json = JsonDocument.Parse(JsonSerializer.SerializeToUtf8Bytes(order));
        return Normal(json.RootElement);

        static string Normal(JsonElement value) =>
            value.ValueKind switch
            {
                JsonValueKind.Object =>
                    $"{{{string.Join(",", value.EnumerateObject().Select(m => m.Name + ":" + Normal(m.Value)))}}}",
                JsonValueKind.Array => $"[{string.Join(",", value.EnumerateArray().Select(Normal))}]",
                JsonValueKind.Number => value.GetDouble().ToString("R", CultureInfo.InvariantCulture),
                _ => value.GetRawText(),
            };
    }
}
