using System.Text.Json;
using Pipeline.Scripting;
using Xunit;

namespace Pipeline.Database.Tests.Scripts;

/// <summary>
/// The README's transform over orders made by a seeded generator, against totals computed by other code in decimals.
/// </summary>
public sealed class NorthwindScriptTests
{
    private const string BigOrders = """
        var total = doc.Lines.Sum(l => l.PricePerUnit * l.Quantity * (1 - l.Discount));
        if (total < 500) return;
        send("big-orders", new { Id = id, doc.Company, doc.ShipTo.Country, Total = Math.Round(total, 2) }, key: doc.Company);
        """;

    [Fact]
    public void Big_orders_are_those_that_other_code_finds()
    {
        const int seed = 20261;
        var random = new Random(seed);
        var script = ScriptHost.Compile(BigOrders);
        var host = new ScriptHost();
        var expected = new List<string>();
        for (var n = 0; n < 830; n++)
        {
            var lines = Enumerable
                .Range(0, random.Next(0, 6))
                .Select(_ =>
                    (
                        Price: random.Next(1, 26000) / 100m,
                        Quantity: random.Next(1, 60),
                        Discount: random.Next(0, 6) * 0.05m
                    )
                )
                .ToArray();
            var country = random.Next(4) == 0 ? null : "FR";
            var json = JsonSerializer.Serialize(
                new
                {
                    Company = $"companies/{n % 7}",
                    ShipTo = country is null ? null : new { Country = country },
                    Lines = lines.Select(l => new
                    {
                        PricePerUnit = l.Price,
                        l.Quantity,
                        l.Discount,
                    }),
                }
            );
            host.Run(script, ScriptDocument.FromJson($"orders/{n}", json));
            var total = lines.Sum(l => l.Price * l.Quantity * (1 - l.Discount));
            if (total < 500)
                continue;
            var rounded = Math.Round(total, 2) / 1.0000000000000000000m;
            expected.Add(
                $"big-orders key=companies/{n % 7} {{\"Id\":\"orders/{n}\",\"Company\":\"companies/{n % 7}\",\"Country\":{(country is null ? "null" : "\"FR\"")},\"Total\":{rounded:0.##}}}"
            );
        }

        Assert.True(expected.Count > 300, $"seed {seed}");
        Assert.Equal(expected, host.Messages);
    }
}
