using System.Linq.Expressions;
using System.Text.Json.Serialization;
using Xunit;

namespace Pipeline.Client.Tests;

/// <summary>Indexes that classes declare: their text, and that the database computes what C# computes.</summary>
public sealed partial class TypedIndexTests
{
    private static readonly string[] Cities = ["Oslo", "Bergen"];

    internal sealed record CustomerTotal(string? Customer, int Count, decimal Total, decimal Most);

    private sealed class Orders_PerCustomer : DocumentIndex<Order, CustomerTotal>
    {
        public Orders_PerCustomer()
        {
            Map = orders => from o in orders select new CustomerTotal(o.Customer, 1, o.Total, o.Total);
            Reduce = results =>
                from r in results
                group r by r.Customer into g
                select new
                {
                    Customer = g.Key,
                    Count = g.Sum(x => x.Count),
                    Total = g.Sum(x => x.Total),
                    Most = g.Max(x => x.Most),
                };
            Field(c => c.Customer, new IndexFieldOptions { Text = TextIndexing.Exact });
        }
    }

    internal sealed record ProductSold(string Product, OrderState State, int Pieces, decimal Revenue);

    private sealed class Products_Sold : DocumentIndex<Order, ProductSold>
    {
        public Products_Sold()
        {
            Map = orders =>
                from o in orders
                where o.State != OrderState.Open
                from l in o.Lines
                let revenue = l.Price * l.Quantity
                select new
                {
                    l.Product,
                    o.State,
                    Pieces = l.Quantity,
                    Revenue = revenue,
                };
            Reduce = results =>
                results
                    .GroupBy(r => new { r.Product, r.State })
                    .Select(g => new ProductSold(
                        g.Key.Product,
                        g.Key.State,
                        g.Sum(x => x.Pieces),
                        g.Sum(x => x.Revenue)
                    ));
        }
    }

    internal sealed record OrderEntry
    {
        public string? Id { get; init; }
        public string? CompanyName { get; init; }
        public string? Note { get; init; }
        public bool IsLarge { get; init; }
    }

    private sealed class Orders_Search : DocumentIndex<Order, OrderEntry>
    {
        public Orders_Search(decimal large = 100)
        {
            Map = orders =>
                from o in orders
                let company = LoadDocument<Company>(o.Company)
                select new OrderEntry
                {
                    Id = o.Id,
                    CompanyName = company!.Name,
                    Note = $"{o.Customer} in {o.ShipTo!.City}",
                    IsLarge = o.Total >= large,
                };
            Field(
                e => e.Note,
                new IndexFieldOptions
                {
                    Text = TextIndexing.Words,
                    Analyzer = "english",
                    IsStored = true,
                }
            );
            Field(e => e.CompanyName, new IndexFieldOptions { Text = TextIndexing.Exact, Boost = 2 });
        }

        public Orders_Search()
            : this(100) { }
    }

    private sealed class Names_All : DocumentIndex<Order, Names_All.Entry>
    {
        public Names_All()
        {
            Map = orders => from o in orders select new Entry { Name = o.Customer };
            AddMap<Company>(companies => from c in companies select new Entry { Name = c.Name });
        }

        internal sealed class Entry
        {
            [JsonPropertyName("name")]
            public string? Name { get; init; }
        }
    }

    [Fact]
    public void An_index_has_the_text_that_a_person_would_write()
    {
        var text = new Orders_PerCustomer().ToText();
        Assert.Equal("Orders/PerCustomer", text.Name);
        Assert.Equal(
            "docs.Orders.Select(o => new { Customer = o.Customer, Count = 1, Total = o.Total, Most = o.Total })",
            Assert.Single(text.Maps)
        );
        Assert.Equal(
            "results.GroupBy(r => r.Customer).Select(g => new { Customer = g.Key, Count = g.Sum(x => x.Count), Total = g.Sum(x => x.Total), Most = g.Max(x => x.Most) })",
            text.Reduce
        );
        Assert.Equal(
            "docs.Orders.Where(o => (o.State != \"Open\")).SelectMany(o => o.Lines, (o, l) => new { o = o, l = l })"
                + ".Select(t0 => new { t0 = t0, revenue = (t0.l.Price * t0.l.Quantity) }).Select(t1 => new { Product = t1.t0.l.Product, State = t1.t0.o.State, Pieces = t1.t0.l.Quantity, Revenue = t1.revenue })",
            Assert.Single(new Products_Sold().ToText().Maps)
        );
        Assert.Equal(
            "docs.Orders.Select(o => new { o = o, company = LoadDocument(o.Company, \"Companies\") })"
                + ".Select(t0 => new { Id = Id(t0.o), CompanyName = t0.company.Name, Note = $\"{(t0.o.Customer)} in {(t0.o.ShipTo.City)}\", IsLarge = (t0.o.Total >= 100m) })",
            Assert.Single(new Orders_Search(100).ToText().Maps)
        );
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task Groups_are_those_of_the_program(bool isRemote)
    {
        await using var fixture = await ClientFixture.OpenAsync(isRemote);
        var orders = await StoreAsync(fixture.Store);
        await fixture.Store.DeployIndexesAsync([new Orders_PerCustomer(), new Products_Sold()]);
        await using var session = fixture.Store.OpenSession();
        Assert.Equal(
            orders
                .GroupBy(o => o.Customer)
                .Select(g => new CustomerTotal(g.Key, g.Count(), g.Sum(o => o.Total), g.Max(o => o.Total)))
                .OrderBy(c => c.Customer, StringComparer.Ordinal),
            (await session.Query<CustomerTotal, Orders_PerCustomer>().ToListAsync()).OrderBy(
                c => c.Customer,
                StringComparer.Ordinal
            )
        );
        Assert.Equal(
            orders
                .Where(o => o.State != OrderState.Open)
                .SelectMany(o => o.Lines, (o, l) => (o, l))
                .GroupBy(x => (x.l.Product, x.o.State))
                .Select(g => new ProductSold(
                    g.Key.Product,
                    g.Key.State,
                    g.Sum(x => x.l.Quantity),
                    g.Sum(x => x.l.Price * x.l.Quantity)
                ))
                .OrderBy(p => p.ToString(), StringComparer.Ordinal),
            (await session.Query<ProductSold, Products_Sold>().ToListAsync()).OrderBy(
                p => p.ToString(),
                StringComparer.Ordinal
            )
        );
        Assert.Equal(
            orders.Count(o => o.Customer == "Ann"),
            (
                await session
                    .Query<CustomerTotal, Orders_PerCustomer>()
                    .Where(c => c.Customer == "Ann" && c.Count > 1)
                    .SingleAsync()
            ).Count
        );
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task A_query_names_members_of_entries_and_finds_documents(bool isRemote)
    {
        await using var fixture = await ClientFixture.OpenAsync(isRemote);
        var orders = await StoreAsync(fixture.Store);
        await fixture.Store.DeployIndexesAsync([new Orders_Search(), new Names_All()]);
        await using var session = fixture.Store.OpenSession();
        Assert.Equal(
            orders.Where(o => o.Company == "companies/1").Select(o => o.Id).Order(),
            (
                await session
                    .Query<OrderEntry, Orders_Search>()
                    .Where(e => e.CompanyName == "Alfreds")
                    .OfType<Order>()
                    .ToListAsync()
            )
                .Select(o => o.Id)
                .Order()
        );
        Assert.Equal(
            0,
            await session.Query<OrderEntry, Orders_Search>().Where(e => e.CompanyName == "alfreds").CountAsync()
        );
        Assert.Equal(
            orders.Count(o => o.Total >= 100),
            await session.Query<OrderEntry, Orders_Search>().Where(e => e.IsLarge).CountAsync()
        );
        Assert.Equal(
            orders.Count(o => o.ShipTo!.City == "Oslo"),
            await session.Query<OrderEntry, Orders_Search>().Search(e => e.Note, "oslo").CountAsync()
        );
        await using (var other = fixture.Store.OpenSession())
        {
            other.Store(new Company("companies/1", "Berglunds"));
            await other.SaveChangesAsync();
        }
        Assert.Equal(
            orders.Count(o => o.Company == "companies/1"),
            await session.Query<OrderEntry, Orders_Search>().Where(e => e.CompanyName == "Berglunds").CountAsync()
        );
        Assert.Equal(
            1,
            await session.Query<Names_All.Entry, Names_All>().Where(e => e.Name == "Berglunds").CountAsync()
        );
    }

    [Fact]
    public async Task An_assembly_deploys_all_of_its_indexes_and_the_same_definition_changes_nothing()
    {
        await using var fixture = await ClientFixture.OpenAsync(isRemote: false);
        await fixture.Store.DeployIndexesAsync(typeof(TypedIndexTests).Assembly);
        var before = fixture.Database.Indexes.List();
        Assert.True(before.Count >= 4);
        Assert.Contains("Orders/PerCustomer", before.Select(i => i.Name));
        await fixture.Store.DeployIndexesAsync(typeof(TypedIndexTests).Assembly);
        Assert.Contains(
            "Two indexes have the name 'one'",
            (
                await Assert.ThrowsAsync<ArgumentException>(() =>
                    fixture.Store.DeployIndexesAsync([new Mapless("one"), new Mapless("One")])
                )
            ).Message,
            StringComparison.Ordinal
        );
        Assert.Equal(
            before.Select(i => i.Definition.Hash),
            fixture.Database.Indexes.List().Select(i => i.Definition.Hash)
        );
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task A_refused_index_says_why(bool isRemote)
    {
        await using var fixture = await ClientFixture.OpenAsync(isRemote);
        var e = await Assert.ThrowsAsync<IndexException>(() =>
            fixture.Store.PutIndexesAsync([
                new IndexText("Broken", ["from o in docs.Orders select new { o.A + }"], null),
            ])
        );
        Assert.Equal("Broken", e.Index);
        Assert.Contains("Broken", e.Message, StringComparison.Ordinal);
    }

    private sealed class Mapless(string name) : DocumentIndex<Order>
    {
        public override string Name => name;
    }

    private static string Helper(Order order) => order.Customer ?? "";

    private static void Refused(Expression<Func<Order, object?>> value, string reason) =>
        Assert.Contains(
            reason,
            Assert.Throws<UnsupportedExpressionException>(() => new Computed(value).ToText()).Message,
            StringComparison.Ordinal
        );

    private static async Task<List<Order>> StoreAsync(IDocumentStore store)
    {
        var random = new Random(7);
        List<Order> orders =
        [
            .. Enumerable
                .Range(1, 30)
                .Select(i => new Order
                {
                    Id = $"orders/{i}",
                    Customer = new[] { "Ann", "ann", " Bob ", "Åse \"x\"" }[random.Next(4)],
                    Company = random.Next(3) == 0 ? null : $"companies/{random.Next(1, 3)}",
                    Total = random.Next(1, 20_000) / 100m,
                    Count = random.Next(-2, 8),
                    Weight = random.Next(2) == 0 ? null : random.Next(100),
                    IsUrgent = random.Next(2) == 0,
                    State = (OrderState)random.Next(3),
                    Day = new DateOnly(2026, random.Next(1, 5), random.Next(1, 28)),
                    At = new DateTime(
                        2026,
                        random.Next(1, 6),
                        random.Next(1, 28),
                        random.Next(24),
                        30,
                        0,
                        DateTimeKind.Unspecified
                    ),
                    ShipTo = new Address(new[] { "Oslo", "Bergen", "Roros" }[random.Next(3)], null),
                    Tags =
                    [
                        .. Enumerable
                            .Range(0, random.Next(1, 4))
                            .Select(_ => ((char)('a' + random.Next(3))).ToString()),
                    ],
                    Lines =
                    [
                        .. Enumerable
                            .Range(1, random.Next(1, 4))
                            .Select(l => new Line(
                                $"p/{random.Next(4)}",
                                random.Next(1, 900) / 10m + l,
                                random.Next(1, 5)
                            )),
                    ],
                }),
        ];
        await using var session = store.OpenSession();
        session.Store(new Company("companies/1", "Alfreds"));
        session.Store(new Company("companies/2", "Chop-suey"));
        foreach (var order in orders)
            session.Store(order);
        await session.SaveChangesAsync();
        return orders;
    }
}
