using System.Globalization;
using System.Text.Json;
using Pipeline.Scripting;
using Pipeline.Scripting.Indexes;
using Pipeline.Scripting.Runtime;
using Xunit;

namespace Pipeline.Database.Tests.Scripts.Indexes;

/// <summary>Index definitions over a shop of seeded orders, compared with plain C# over the same objects.</summary>
public sealed class IndexShopTests
{
    private const int Seed = 20262;
    private static readonly string?[] Countries = ["France", "Germany", "UK", null];
    private readonly List<Company> _companies = [];
    private readonly List<Order> _orders = [];
    private readonly IndexHost _host = new();

    public IndexShopTests()
    {
        var random = new Random(Seed);
        for (var i = 0; i < 30; i++)
            _companies.Add(new Company($"companies/{i}", $"Company {i}", Countries[random.Next(4)]));
        for (var i = 0; i < 400; i++)
        {
            var lines = Enumerable
                .Range(0, random.Next(0, 5))
                .Select(_ => new Line(
                    $"products/{random.Next(12)}",
                    random.Next(1, 60),
                    random.Next(1, 9000) / 100m,
                    random.Next(0, 4) * 0.05m
                ))
                .ToArray();
            _orders.Add(
                new Order(
                    $"orders/{i}",
                    $"companies/{random.Next(33)}",
                    new DateTime(1996, 7, 4).AddDays(random.Next(700)),
                    lines
                )
            );
        }

        foreach (var company in _companies)
            _host.Documents[company.Id] = Document(company, company.Id, "Companies");
    }

    [Fact]
    public void Orders_by_company_with_totals()
    {
        var script = IndexHost.Compile(
            "from o in docs.Orders select new { o.Company, Total = o.Lines.Sum(l => (l.Quantity * l.PricePerUnit) * (1 - l.Discount)), o.OrderedAt.Year }"
        );
        RunAll(script);
        Assert.Equal(
            _orders.Select(o => $"Company='{o.Company}' Total={Number(o.Lines.Sum(Price))} Year={o.OrderedAt.Year}"),
            _host.Entries
        );
    }

    [Fact]
    public void Fan_out_of_lines_with_the_company_loaded()
    {
        var script = IndexHost.Compile(
            """
            from o in docs.Orders
            let company = LoadDocument(o.Company, "Companies")
            from l in o.Lines
            where l.Quantity >= 30 && company.Country != "UK"
            select new { company.Name, l.Product, Big = l.Quantity > 50 }
            """
        );
        RunAll(script);
        var expected =
            from o in _orders
            let company = _companies.Find(c => c.Id == o.Company)
            from l in o.Lines
            where l.Quantity >= 30 && company?.Country != "UK"
            select $"Name={(company is null ? "null" : $"'{company.Name}'")} Product='{l.Product}' Big={(l.Quantity > 50 ? "true" : "false")}";
        Assert.Equal(expected, _host.Entries);
        Assert.True(_host.Entries.Count > 100, $"seed {Seed}");
    }

    [Fact]
    public void Sales_by_product_and_month()
    {
        var script = IndexHost.Compile(
            "from o in docs.Orders from l in o.Lines select new { l.Product, Month = o.OrderedAt.ToString(\"yyyy-MM\"), Count = 1, Sum = l.Quantity * l.PricePerUnit * (1 - l.Discount), Max = l.Quantity }",
            "from r in results group r by new { r.Product, r.Month } into g select new { g.Key.Product, g.Key.Month, Count = g.Sum(x => x.Count), Sum = g.Sum(x => x.Sum), Max = g.Max(x => x.Max) }"
        );
        var run = new IndexRun(script, _host);
        foreach (var order in _orders)
            run.Map(Document(order, order.Id, "Orders"), (IMapOutput)_host);
        foreach (var outputs in _host.Groups.Values)
            run.Reduce([.. outputs.Select(IndexHost.Parse)], _host);
        var expected =
            from o in _orders
            from l in o.Lines
            group l by (l.Product, Month: o.OrderedAt.ToString("yyyy-MM", CultureInfo.InvariantCulture)) into g
            select $"Product='{g.Key.Product}' Month='{g.Key.Month}' Count={g.Count()} Sum={Number(g.Sum(Price))} Max={g.Max(l => l.Quantity)}";
        Assert.Equal(expected.Order(StringComparer.Ordinal), _host.Entries.Order(StringComparer.Ordinal));
        Assert.True(_host.Entries.Count > 100, $"seed {Seed}");
    }

    private void RunAll(IndexScript script)
    {
        var run = new IndexRun(script, _host);
        foreach (var order in _orders)
            run.Map(Document(order, order.Id, "Orders"), (IIndexOutput)_host);
    }

    private static decimal Price(Line line) => line.Quantity * line.PricePerUnit * (1 - line.Discount);

    private static string Number(decimal value) =>
        value == decimal.Truncate(value)
            ? ((long)value).ToString(CultureInfo.InvariantCulture)
            : ((double)value).ToString("R", CultureInfo.InvariantCulture) + "d";

    private static ScriptDocument Document<T>(T value, string id, string collection) =>
        IndexHost.Document(JsonSerializer.Serialize(value), id, collection);

    private sealed record Company(string Id, string Name, string? Country);

    private sealed record Order(string Id, string Company, DateTime OrderedAt, Line[] Lines);

    private sealed record Line(string Product, int Quantity, decimal PricePerUnit, decimal Discount);
}
