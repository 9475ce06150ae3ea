using System.Runtime.CompilerServices;
using System.Text;
using System.Text.RegularExpressions;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Client.Tests;

/// <summary>
/// Each supported expression with the query that it makes, in LinqTexts.txt. With PIPELINE_UPDATE_DOCS=1 the test
/// writes the file instead.
/// </summary>
public sealed partial class LinqTextTests
{
    private const string Name = "tests/Pipeline.Client.Tests/LinqTexts.txt";
    private readonly StringBuilder _text = new();

    [Fact]
    public async Task Each_expression_makes_the_query_in_the_file()
    {
        await using var f = await ClientFixture.OpenAsync(false);
        await using var session = f.Store.OpenSession();
        Conditions(session.Query<Order>());
        Texts(session.Query<Order>());
        Lists(session.Query<Order>());
        Orders(session.Query<Order>());
        Selections(session.Query<Order>());
        Groups(session.Query<Order>());
        Others(session.Query<Order>(), session);
        Places(session.Query<Shop>(), session.Query<Shop>("Shops/ByPlace"));
        Facets(session.Query<Order>());
        var path = Path.Combine(RepositoryTree.Root, Name);
        if (Environment.GetEnvironmentVariable("PIPELINE_UPDATE_DOCS") == "1")
        {
            await File.WriteAllTextAsync(path, _text.ToString());
        }
        else
        {
            Assert.True(
                _text.ToString() == await File.ReadAllTextAsync(path),
                $"{Name} is stale: run this test once with PIPELINE_UPDATE_DOCS=1 and look at the difference\n{_text}"
            );
        }
    }

    private void Conditions(IQueryable<Order> orders)
    {
        Title("Conditions");
        Add(orders.Where(o => o.Total == 10));
        Add(orders.Where(o => o.Total != 10));
        Add(orders.Where(o => o.Total < 10));
        Add(orders.Where(o => o.Total <= 10));
        Add(orders.Where(o => o.Total > 10));
        Add(orders.Where(o => 10 <= o.Total));
        Add(orders.Where(o => o.Total > 10 && o.Count < 5));
        Add(orders.Where(o => o.Total > 10 || o.Count < 5));
        Add(orders.Where(o => !(o.Total > 10)));
        Add(orders.Where(o => o.Total > 10).Where(o => o.Count < 5));
        Add(orders.Where(o => o.IsUrgent));
        Add(orders.Where(o => !o.IsUrgent));
        Add(orders.Where(o => o.Weight == null));
        Add(orders.Where(o => o.Weight != null));
        Add(orders.Where(o => o.Weight.HasValue && o.Weight.Value > 2));
        Add(orders.Where(o => o.ShipTo == null));
        Add(orders.Where(o => o.State == OrderState.Paid));
        Add(orders.Where(o => o.State.In(OrderState.Paid, OrderState.Sent)));
        Add(orders.Where(o => new[] { 1, 2, 3 }.Contains(o.Count)));
        Add(orders.Where(o => new string?[] { "Ann", null }.Contains(o.Customer)));
        Add(orders.Where(o => o.Day >= new DateOnly(2026, 1, 1)));
        Add(orders.Where(o => o.At < new DateTime(2026, 1, 1, 0, 0, 0, DateTimeKind.Utc)));
        Add(orders.Where(o => o.Id == "orders/1"));
        Add(orders.Where(o => o.Id!.StartsWith("orders/2")));
        Add(orders.Where(o => o.Count.Equals(3)));
        Add(orders.Where(o => true));
    }

    private void Texts(IQueryable<Order> orders)
    {
        Title("Texts");
        Add(orders.Where(o => o.Customer == "Ann"));
        Add(orders.Where(o => o.Customer != "Ann"));
        Add(orders.Where(o => o.Customer!.Equals("ann", StringComparison.OrdinalIgnoreCase)));
        Add(orders.Where(o => string.Equals(o.Customer, "Ann")));
        Add(orders.Where(o => string.IsNullOrEmpty(o.Customer)));
        Add(orders.Where(o => o.Customer!.StartsWith("An")));
        Add(orders.Where(o => o.Customer!.StartsWith("an", StringComparison.OrdinalIgnoreCase)));
        Add(orders.Where(o => o.Customer!.EndsWith("nn")));
        Add(orders.Where(o => o.Customer!.Contains("nn")));
        Add(orders.Where(o => o.Customer!.Contains('n')));
        Add(orders.Search(o => o.Customer, "ann* \"of oslo\""));
    }

    private void Lists(IQueryable<Order> orders)
    {
        Title("Members of members, and lists");
        Add(orders.Where(o => o.ShipTo!.City == "Oslo"));
        Add(orders.Where(o => o.Tags.Contains("new")));
        Add(orders.Where(o => o.Tags.Any(t => t.StartsWith("ne"))));
        Add(orders.Where(o => o.Lines.Any(l => l.Price > 3)));
        Add(orders.Where(o => o.Lines.Any(l => l.Price > 3 || l.Product == "tea")));
        Add(orders.Where(o => !o.Lines.Any(l => l.Product == "tea")));
        Add(orders.Where(o => o.Lines.Select(l => l.Product).Contains("tea")));
    }

    private void Orders(IQueryable<Order> orders)
    {
        Title("Orders and pages (the page is no part of the text)");
        Add(orders.OrderBy(o => o.Customer));
        Add(orders.OrderByDescending(o => o.Total).ThenBy(o => o.Count).ThenByDescending(o => o.Day));
        Add(orders.OrderBy(o => o.ShipTo!.City));
        Add(orders.OrderBy(o => o.Id));
        Add(orders.OrderBy(o => o.Count).Skip(10).Take(5));
    }

    private void Selections(IQueryable<Order> orders)
    {
        Title("Selections");
        Add(orders.Select(o => o.Customer));
        Add(orders.Select(o => new { o.Id, o.ShipTo!.City }));
        Add(orders.Select(o => new Address(o.Customer!, null)));
        Add(orders.Select(o => o.Lines.Sum(l => l.Price * l.Quantity)));
        Add(orders.Select(o => new { Key = o.Count, o.At.Year }));
        Add(orders.Select(o => new { Whole = o }));
        Add(orders.Select(o => o.State).Distinct());
        Add(orders.Select(o => new { o.Customer, Sum = o.Total }).OrderBy(r => r.Sum));
    }

    private void Groups(IQueryable<Order> orders)
    {
        Title("Groups");
        Add(orders.GroupBy(o => o.Company).Select(g => new { g.Key, Count = g.Count() }));
        Add(
            orders
                .GroupBy(o => o.Company)
                .Select(g => new
                {
                    g.Key,
                    Sum = g.Sum(o => o.Total),
                    Least = g.Min(o => o.Total),
                    Most = g.Max(o => o.Total),
                    Mean = g.Average(o => o.Total),
                })
        );
        Add(
            orders
                .GroupBy(o => new { o.Company, o.State })
                .Select(g => new
                {
                    g.Key.Company,
                    g.Key.State,
                    Count = g.LongCount(),
                })
        );
        Add(orders.GroupBy(o => o.Company).Where(g => g.Count() > 2 && g.Key != null).Select(g => g.Key));
        Add(orders.GroupBy(o => o.Company).OrderByDescending(g => g.Sum(o => o.Total)).Select(g => g.Key));
    }

    private void Others(IQueryable<Order> orders, IDocumentSession session)
    {
        Title("Includes and indexes");
        Add(orders.Include(o => o.Company));
        Add(orders.Include(o => o.Lines.Select(l => l.Product)));
        Add(session.Query<Order>("Orders/ByCity").Where(o => o.Count > 1));
    }

    private void Places(IQueryable<Shop> shops, IQueryable<Shop> indexed)
    {
        Title("Places");
        Add(shops.Spatial(s => s.Latitude, s => s.Longitude, area => area.WithinRadius(50, 59.9, 10.7)));
        Add(
            shops
                .Spatial(s => s.Place, area => area.WithinRadius(50, 59.9, 10.7, DistanceUnit.Miles))
                .Where(s => s.Name == "Tea")
        );
        Add(shops.Spatial(s => s.Wkt, area => area.OutsideRadius(50, 59.9, 10.7)));
        Add(shops.Spatial(s => s.Place, area => area.Intersects("POLYGON((10 59, 11 59, 11 61, 10 59))")));
        Add(shops.Spatial(s => s.Place, area => area.Within("POINT(10 59)")));
        Add(shops.Spatial(s => s.Place, area => area.Disjoint("POINT(10 59)")));
        Add(
            indexed
                .Spatial(s => s.Place, area => area.WithinRadius(50, 59.9, 10.7))
                .OrderByDistance(s => s.Place, 59.9, 10.7)
        );
        Add(shops.OrderByDistance(s => s.Place, 59.9, 10.7).ThenBy(s => s.Name));
        Add(shops.OrderByDistanceDescending(s => s.Latitude, s => s.Longitude, 59.9, 10.7));
    }

    private void Facets(IQueryable<Order> orders)
    {
        Title("Counts by values");
        Add(orders.AggregateBy(o => o.Company));
        Add(
            orders
                .Where(o => o.Total > 3)
                .AggregateBy(o => o.Company, f => f.Sum(o => o.Total).Max(o => o.Total).Average(o => o.Count))
                .AndBy(o => o.ShipTo!.City)
        );
        Add(orders.AggregateBy(o => o.Tags, f => f.OrderByCountDescending().Skip(2).Take(5).As("top")));
        Add(
            orders.AggregateByRanges(
                [o => o.Total < 10, o => o.Total >= 10 && o.Total < 20, o => o.Total >= 20],
                f => f.Min(o => o.Count).As("price ranges")
            )
        );
    }

    private void Add<T>(FacetQuery<T> query, [CallerArgumentExpression(nameof(query))] string expression = "") =>
        _text.Append(OnOneLine(expression)).Append("\n    ").Append(query.ToQueryString()).Append('\n');

    private void Title(string title) =>
        _text.Append(_text.Length == 0 ? "" : "\n").Append("# ").Append(title).Append("\n\n");

    private void Add<T>(IQueryable<T> query, [CallerArgumentExpression(nameof(query))] string expression = "") =>
        _text.Append(OnOneLine(expression)).Append("\n    ").Append(query.ToQueryString()).Append('\n');

    /// <summary>The expression without the line breaks and the last commas of the formatter.</summary>
    private static string OnOneLine(string expression) =>
        Breaks().Replace(LastCommas().Replace(Spaces().Replace(expression, " "), " $1"), "$1$2");

    [GeneratedRegex(@"\s+")]
    private static partial Regex Spaces();

    [GeneratedRegex(@", ([}\])])")]
    private static partial Regex LastCommas();

    [GeneratedRegex(@"([(\[]) | (\.(?!\.)|[)\]])")]
    private static partial Regex Breaks();
}
