using System.Linq.Expressions;
using System.Text.Json;
using System.Text.Json.Serialization;
using Xunit;

namespace Pipeline.Client.Tests;

/// <summary>Indexes that classes declare: their text, and that the database computes what C# computes.</summary>
public sealed class TypedIndexTests
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

    private sealed class Computed : DocumentIndex<Order, Computed.Entry>
    {
        /// <summary>An entry for each document, with the value of an expression.</summary>
        public Computed(Expression<Func<Order, object?>> value, string name = "Computed")
        {
            Name = name;
            ParameterExpression orders = Expression.Parameter(typeof(IEnumerable<Order>), "orders"),
                order = value.Parameters[0];
            var entry = Expression.MemberInit(
                Expression.New(typeof(Entry)),
                Expression.Bind(
                    typeof(Entry).GetProperty(nameof(Entry.Order))!,
                    Expression.Property(order, nameof(Pipeline.Client.Tests.Order.Id))
                ),
                Expression.Bind(typeof(Entry).GetProperty(nameof(Entry.Value))!, value.Body)
            );
            Map = Expression.Lambda<Func<IEnumerable<Order>, System.Collections.IEnumerable>>(
                Expression.Call(
                    typeof(Enumerable),
                    nameof(Enumerable.Select),
                    [typeof(Order), typeof(Entry)],
                    orders,
                    Expression.Lambda<Func<Order, Entry>>(entry, order)
                ),
                orders
            );
            Field(e => e.Value, new IndexFieldOptions { IsStored = true });
            Field(e => e.Order, new IndexFieldOptions { IsStored = true });
        }

        public override string Name { get; }

        internal sealed class Entry
        {
            public string? Order { get; set; }
            public object? Value { get; set; }
        }
    }

    internal static readonly (string Name, Expression<Func<Order, object?>> Value)[] Values =
    [
        ("member", o => o.Customer),
        ("nested", o => o.ShipTo!.City),
        ("number", o => o.Total * 2 + o.Count),
        ("whole division", o => o.Count / 2),
        ("remainder", o => o.Count % 3),
        ("cut", o => (int)o.Total),
        ("negated", o => -o.Count),
        ("nullable", o => o.Weight ?? -1),
        ("has value", o => o.Weight.HasValue),
        ("value", o => o.Weight.HasValue ? o.Weight.Value + 1 : 0),
        ("condition", o => o.Total > 50 && o.IsUrgent ? "now" : "later"),
        ("or", o => o.IsUrgent || o.Count > 3),
        ("not", o => !o.IsUrgent),
        ("enum", o => o.State),
        ("enum compared", o => o.State == OrderState.Paid),
        ("enum in", o => new[] { OrderState.Paid, OrderState.Sent }.Contains(o.State)),
        ("text in", o => Cities.Contains(o.ShipTo!.City)),
        ("joined", o => o.Customer + "/" + o.ShipTo!.City),
        ("joined with a number", o => o.Customer + o.Count),
        ("interpolated", o => $"{o.Customer}: {o.Count} {{}}"),
        ("upper", o => o.Customer!.ToUpperInvariant()),
        ("lower", o => o.Customer!.ToLower()),
        ("trimmed", o => o.Customer!.Trim()),
        ("part", o => o.ShipTo!.City.Substring(1, 2)),
        ("starts", o => o.ShipTo!.City.StartsWith("Os")),
        ("contains", o => o.ShipTo!.City.Contains("er")),
        ("replaced", o => o.ShipTo!.City.Replace("o", "0")),
        ("length", o => o.ShipTo!.City.Length),
        ("split", o => o.ShipTo!.City.Split('s')),
        ("empty", o => string.IsNullOrEmpty(o.Customer)),
        ("index of", o => o.ShipTo!.City.IndexOf('o')),
        ("list", o => o.Tags),
        ("count of a list", o => o.Tags.Count),
        ("contains an element", o => o.Tags.Contains("a")),
        ("any", o => o.Lines.Any(l => l.Quantity > 2)),
        ("all", o => o.Lines.All(l => l.Price > 1)),
        ("sum", o => o.Lines.Sum(l => l.Price * l.Quantity)),
        ("selected", o => o.Lines.Select(l => l.Product)),
        ("filtered", o => o.Lines.Where(l => l.Quantity > 1).Select(l => l.Product)),
        ("first", o => o.Lines.Select(l => l.Product).FirstOrDefault()),
        ("max", o => o.Lines.Max(l => l.Quantity)),
        ("ordered", o => o.Lines.OrderByDescending(l => l.Price).Select(l => l.Product)),
        ("distinct", o => o.Lines.Select(l => l.Quantity).Distinct().Count()),
        ("joined list", o => string.Join("|", o.Tags)),
        ("year", o => o.At.Year),
        ("month of a day", o => o.Day.Month),
        ("hour", o => o.At.Hour),
        ("date compared", o => o.At > new DateTime(2026, 3, 1)),
        ("day compared", o => o.Day >= new DateOnly(2026, 2, 1)),
        ("rounded", o => Math.Round(o.Total)),
        ("absolute", o => Math.Abs(o.Count - 3)),
        ("smaller", o => Math.Min(o.Count, 2)),
        ("null compared", o => o.Company == null),
        ("quotes", o => o.Customer + "\"\\\n{0}"),
        ("object", o => new { o.Customer, Twice = o.Count * 2 }),
    ];

    [Fact]
    public async Task The_database_computes_what_the_program_computes()
    {
        await using var fixture = await ClientFixture.OpenAsync(isRemote: false);
        var orders = await StoreAsync(fixture.Store);
        var json =
            fixture.Store.Options.Json ?? new JsonSerializerOptions { Converters = { new JsonStringEnumConverter() } };
        var wrong = new List<string>();
        await using var session = fixture.Store.OpenSession();
        foreach (var (name, value) in Values)
        {
            var index = new Computed(value, name);
            var text = index.ToText().Maps[0];
            try
            {
                await fixture.Store.DeployIndexesAsync([index]);
                var entries = (
                    await session.RawQuery<Computed.Entry>($"from index '{name}' select Order, Value").ToResultsAsync()
                ).Items;
                var compiled = value.Compile();
                foreach (var order in orders)
                {
                    var expected = Normal(JsonSerializer.SerializeToElement(compiled(order), json));
                    var actual = Normal(
                        JsonSerializer.SerializeToElement(entries.Single(e => e.Order == order.Id).Value, json)
                    );
                    if (expected != actual)
                    {
                        wrong.Add($"{name}: {expected} became {actual}; {text}");
                        break;
                    }
                }
            }
            catch (PipelineClientException e)
            {
                wrong.Add($"{name}: {e.Message}; {text}");
            }
        }
        Assert.True(wrong.Count == 0, string.Join("\n", wrong));
    }

    [Fact]
    public void What_an_index_cannot_compute_is_named()
    {
        Refused(o => o.At > DateTime.UtcNow, "DateTime.UtcNow would be the time of the deployment");
        Refused(o => Guid.NewGuid(), "Guid.NewGuid");
        Refused(o => Helper(o), "the database does not know TypedIndexTests.Helper");
        Refused(o => (object)o is Company, "documents have no classes");
        Refused(o => new Uri("http://a"), "an index holds texts, numbers");
        Assert.Contains(
            "has no map",
            Assert.Throws<InvalidOperationException>(() => new Mapless("none").ToText()).Message,
            StringComparison.Ordinal
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

    private static string Normal(JsonElement value) =>
        value.ValueKind switch
        {
            JsonValueKind.Number => value
                .GetDecimal()
                .ToString("0.############################", System.Globalization.CultureInfo.InvariantCulture),
            // A stored list of one element comes back as the element, an empty one as null.
            JsonValueKind.Array when value.GetArrayLength() == 0 => "null",
            JsonValueKind.Array when value.GetArrayLength() == 1 => Normal(value[0]),
            JsonValueKind.Array => "[" + string.Join(",", value.EnumerateArray().Select(Normal)) + "]",
            JsonValueKind.Object => "{"
                + string.Join(",", value.EnumerateObject().Select(p => p.Name + ":" + Normal(p.Value)))
                + "}",
            _ => value.GetRawText(),
        };

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
