using System.Linq.Expressions;
using Xunit;

namespace Pipeline.Client.Tests;

/// <summary>A query gives what LINQ gives on the same objects in memory.</summary>
public sealed class LinqTests
{
    private static readonly string[] Cities = ["Oslo", "oslo", "Bergen", "Ålesund", "O'Hara \\ Co", ""];
    private static readonly string?[] Names = ["Ann", "ann", "Bob", "Cid-7", null, "a.b*c"];

    public static TheoryData<string, string> Texts =>
        new()
        {
            { "where", "from 'Orders' where (Total > $p0 and exact(Customer = $p1))" },
            {
                "paths",
                "from 'Orders' where (exact(ShipTo.City = $p0) or 'Count' <= $p1) order by Total as double desc, Customer"
            },
            { "any", "from 'Orders' where Lines[].Price > $p0" },
            { "in", "from 'Orders' where exact(State in ($p0))" },
            { "select", "from 'Orders' select Customer as f0, ShipTo.City as f1" },
            {
                "group",
                "from 'Orders' group by Company order by count() as long desc select key() as f0, count() as f1, sum(Total) as f2"
            },
            { "search", "from 'Orders' where search(Customer, $p0) include Company" },
            { "index", "from index 'Orders/ByCity' where id() = $p0" },
        };

    [Theory]
    [MemberData(nameof(Texts))]
    public async Task A_query_has_this_text(string what, string expected)
    {
        await using var f = await ClientFixture.OpenAsync(false);
        await using var session = f.Store.OpenSession();
        var orders = session.Query<Order>();
        var name = "Ann";
        Assert.Equal(
            expected,
            what switch
            {
                "where" => orders.Where(o => o.Total > 10 && o.Customer == name).ToQueryString(),
                "paths" => orders
                    .Where(o => o.ShipTo!.City == "Oslo" || o.Count <= 3)
                    .OrderByDescending(o => o.Total)
                    .ThenBy(o => o.Customer)
                    .ToQueryString(),
                "any" => orders.Where(o => o.Lines.Any(l => l.Price > 3)).ToQueryString(),
                "in" => orders.Where(o => o.State.In(OrderState.Open, OrderState.Sent)).ToQueryString(),
                "select" => orders.Select(o => new { o.Customer, Far = o.ShipTo!.City.Length }).ToQueryString(),
                "group" => orders
                    .GroupBy(o => o.Company)
                    .Select(g => new
                    {
                        g.Key,
                        Orders = g.Count(),
                        Sum = g.Sum(o => o.Total),
                    })
                    .OrderByDescending(g => g.Orders)
                    .ToQueryString(),
                "search" => orders.Search(o => o.Customer, "ann*").Include(o => o.Company).ToQueryString(),
                _ => session.Query<Order>("Orders/ByCity").Where(o => o.Id == "orders/1").ToQueryString(),
            }
        );
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task Generated_conditions_find_what_they_find_in_memory(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        var orders = await FillAsync(f, 300);
        await using var session = f.Store.OpenSession(new SessionOptions { NoTracking = true });
        var random = new Random(20261123);
        for (var round = 0; round < (isRemote ? 150 : 500); round++)
        {
            var predicate = Condition(random, 3);
            var expected = orders.Where(predicate.Compile()).Select(o => o.Id!).Order(StringComparer.Ordinal).ToList();
            var query = session.Query<Order>().Where(predicate);
            var found = (await query.ToListAsync()).Select(o => o.Id!).Order(StringComparer.Ordinal).ToList();
            Assert.True(
                expected.SequenceEqual(found),
                $"round {round}: {predicate}\n{query.ToQueryString()}\nmissing: {string.Join(' ', expected.Except(found).Take(5))}; too many: {string.Join(' ', found.Except(expected).Take(5))}"
            );
            Assert.Equal(expected.Count, await query.CountAsync());
        }
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task Orders_pages_selections_and_groups_are_those_in_memory(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        var orders = await FillAsync(f, 200);
        await using var session = f.Store.OpenSession();
        var query = session.Query<Order>();
        Assert.Equal(
            orders.OrderByDescending(o => o.Total).ThenBy(o => o.Count).Skip(7).Take(20).Select(o => o.Total),
            (await query.OrderByDescending(o => o.Total).ThenBy(o => o.Count).Skip(7).Take(20).ToListAsync()).Select(
                o => o.Total
            )
        );
        Assert.Equal(
            orders.OrderBy(o => o.At).Select(o => (o.At.Year, o.Lines.Sum(l => l.Price * l.Quantity), o.Tags.Count)),
            await query
                .OrderBy(o => o.At)
                .Select(o => new ValueTuple<int, decimal, int>(
                    o.At.Year,
                    o.Lines.Sum(l => l.Price * l.Quantity),
                    o.Tags.Count
                ))
                .ToListAsync()
        );
        Assert.Equal(
            orders.Select(o => o.State).Distinct().Order(),
            (await query.Select(o => o.State).Distinct().ToListAsync()).Order()
        );
        Assert.Equal(
            orders.Select(o => o.State).Distinct().Count(),
            await query.Select(o => o.State).Distinct().CountAsync()
        );
        Assert.Equal(
            orders
                .GroupBy(o => o.Company)
                .Select(g => (g.Key, g.Count(), g.Sum(o => o.Count), g.Max(o => o.Count)))
                .OrderBy(g => g.Key),
            (
                await query
                    .GroupBy(o => o.Company)
                    .Select(g => new
                    {
                        g.Key,
                        N = g.Count(),
                        Sum = g.Sum(o => o.Count),
                        Most = g.Max(o => o.Count),
                    })
                    .ToListAsync()
            ).Select(g => (g.Key, g.N, g.Sum, g.Most)).OrderBy(g => g.Key)
        );
        Assert.Equal(
            orders.GroupBy(o => new { o.Company, o.State }).Count(g => g.Count() > 5),
            (
                await query
                    .GroupBy(o => new { o.Company, o.State })
                    .Where(g => g.Count() > 5)
                    .Select(g => new
                    {
                        g.Key.Company,
                        g.Key.State,
                        N = g.Count(),
                    })
                    .ToListAsync()
            ).Count
        );
        Assert.Equal(orders.First(o => o.Count == 3).Count, (await query.FirstAsync(o => o.Count == 3)).Count);
        Assert.Null(await query.FirstOrDefaultAsync(o => o.Count == 99999));
        Assert.True(await query.AnyAsync(o => o.IsUrgent));
        Assert.Equal(orders.Count, await query.LongCountAsync());
        Assert.Empty(await query.Where(o => new string[0].Contains(o.Customer)).ToListAsync());
        var streamed = 0;
        await foreach (var order in query.Where(o => o.Count > 5).AsAsyncEnumerable())
            streamed += order.Count > 5 ? 1 : throw new InvalidOperationException();
        Assert.Equal(orders.Count(o => o.Count > 5), streamed);
        var page = await query.Where(o => o.Count > 5).Take(3).ToResultsAsync();
        Assert.Equal((3, orders.Count(o => o.Count > 5)), (page.Items.Count, (int)page.Statistics.Total));
        var raw = await session
            .RawQuery<Order>("from Orders where Count > $p0 and State in ($p1)", 5, new[] { OrderState.Paid })
            .ToResultsAsync();
        Assert.Equal(orders.Count(o => o is { Count: > 5, State: OrderState.Paid }), raw.Items.Count);
        Assert.Same(await session.LoadAsync<Order>(raw.Items[0].Id!), raw.Items[0]);
        var refused = await Assert.ThrowsAsync<QueryException>(async () =>
            await session.RawQuery<Order>("from Orders where").ToResultsAsync()
        );
        Assert.Equal("from Orders where", refused.Query);
    }

    [Fact]
    public async Task What_cannot_be_said_is_named_with_a_way_round()
    {
        await using var f = await ClientFixture.OpenAsync(false);
        await using var session = f.Store.OpenSession();
        var orders = session.Query<Order>();
        Refused(orders.Where(o => o.Count * 2 > 5), "(o.Count * 2)", "RawQuery");
        Refused(orders.Where(o => o.Lines.Any(l => l.Price > 1 && l.Quantity > 1)), "two conditions", "filter");
        Refused(orders.Where(o => o.Lines.Any(l => l.Product != "x")), "Any()");
        Refused(orders.Where(o => o.Customer == o.Company), "known before the query runs");
        Refused(orders.Take(1).Where(o => o.Count > 1), "before Skip and Take");
        Refused(orders.Where(o => o.Count > 1).GroupBy(o => o.Company).Select(g => g.Key), "behind GroupBy");
        Refused(orders.Reverse(), "Reverse");
        Refused(orders.Where(o => o.State > OrderState.Open), "OrderState");
        Refused(orders.Where(o => o.Customer!.GetHashCode() == 1), "GetHashCode");
        Refused(orders.Where(o => o.Customer!.Length > 3), "Length", "store it");
        Refused(orders.Where(o => o.Lines.Count > 0), "Lines.Count");
        Refused(orders.Where(o => o.At.Year == 2026), "At.Year");
        Refused(orders.Where(o => (int)o.Total == 5), "Convert(o.Total");
        Refused(orders.Where(o => o.Lines.Any(l => l.Product == null)), "elements of a list", "filter");
        Refused(orders.Where(o => o.Lines.Any(l => string.IsNullOrEmpty(l.Product))), "elements of a list");
        Refused(orders.Where(o => o.Lines.Any(l => l.Product.StartsWith(""))), "elements of a list");
        Refused(orders.Where(o => o.Lines.Any(l => new[] { "a", null }.Contains(l.Product))), "elements of a list");
        Refused(orders.Where(o => o.Lines.Any(l => true)), "every element");
        Refused(orders.Where(o => o.Tags.Contains(null!)), "look alike");
        Refused(orders.OrderBy(o => o.State), "OrderState", "not stored in its order");
        Refused(orders.OrderBy(o => o.ShipTo), "Address");
        Refused(orders.OrderBy(o => o.At.Year), "members of the document");
        Refused(orders.OrderBy(o => o.Customer, StringComparer.Ordinal), "comparer");
        Refused(orders.GroupBy(o => o.At.Year).Select(g => g.Count()), "At.Year");
        Refused(orders.Select(o => o.Count % 2).Distinct(), "select members only");

        void Refused<T>(IQueryable<T> query, params string[] parts)
        {
            var message = Assert.Throws<UnsupportedExpressionException>(query.ToQueryString).Message;
            Assert.All(parts, p => Assert.Contains(p, message, StringComparison.Ordinal));
        }
    }

    private static async Task<List<Order>> FillAsync(ClientFixture f, int count)
    {
        var random = new Random(7);
        var orders = new List<Order>();
        await using var session = f.Store.OpenSession();
        for (var i = 0; i < count; i++)
        {
            orders.Add(
                new Order
                {
                    Id = $"orders/{i}",
                    Customer = Names[random.Next(Names.Length)],
                    Company = $"companies/{random.Next(6)}",
                    Total = random.Next(0, 400) / 4m,
                    Count = random.Next(12),
                    Weight = random.Next(3) == 0 ? null : random.Next(5),
                    IsUrgent = random.Next(2) == 0,
                    State = (OrderState)random.Next(3),
                    Day = new DateOnly(2026, 1, 1).AddDays(random.Next(40)),
                    At = new DateTime(2026, 1, 1, 0, 0, 0, DateTimeKind.Utc).AddMinutes(random.Next(100_000)),
                    ShipTo = random.Next(4) == 0 ? null : new Address(Cities[random.Next(Cities.Length)], null),
                    Tags = [.. Enumerable.Range(0, random.Next(3)).Select(_ => random.Next(2) == 0 ? "new" : "late")],
                    Lines =
                    [
                        .. Enumerable
                            .Range(0, random.Next(4))
                            .Select(_ => new Line("p/" + random.Next(4), random.Next(40) / 4m, random.Next(5))),
                    ],
                }
            );
            session.Store(orders[^1]);
        }

        await session.SaveChangesAsync();
        return orders;
    }

    private static Expression<Func<Order, bool>> Condition(Random random, int depth)
    {
        if (depth > 0 && random.Next(3) > 0)
        {
            var (left, right) = (Condition(random, depth - 1), Condition(random, depth - 1));
            var second = new Replace(right.Parameters[0], left.Parameters[0]).Visit(right.Body)!;
            Expression body = random.Next(3) switch
            {
                0 => Expression.AndAlso(left.Body, second),
                1 => Expression.OrElse(left.Body, second),
                _ => Expression.Not(left.Body),
            };
            return Expression.Lambda<Func<Order, bool>>(body, left.Parameters);
        }

        var (number, money, name, city) = (
            random.Next(12),
            random.Next(400) / 4m,
            Names[random.Next(Names.Length)],
            Cities[random.Next(Cities.Length)]
        );
        var day = new DateOnly(2026, 1, 1).AddDays(random.Next(40));
        var at = new DateTime(2026, 1, 1, 0, 0, 0, DateTimeKind.Utc).AddMinutes(random.Next(100_000));
        var state = (OrderState)random.Next(3);
        long? weight = random.Next(4) == 0 ? null : random.Next(5);
        int[] numbers = [number, number + 2, 5];
        string?[] names = [name, "Bob"];
        return random.Next(26) switch
        {
            0 => o => o.Total > money,
            1 => o => money >= o.Total,
            2 => o => o.Count == number,
            3 => o => o.Count != number,
            4 => o => o.Customer == name,
            5 => o => o.Customer != name,
            6 => o => o.Weight == weight,
            7 => o => o.Weight > 2,
            8 => o => o.Weight.HasValue && o.Weight.Value <= 3,
            9 => o => o.IsUrgent,
            10 => o => !o.IsUrgent && o.IsUrgent == false,
            11 => o => o.State == state,
            12 => o => o.State != state,
            13 => o => o.Day >= day,
            14 => o => o.At < at,
            15 => o => o.ShipTo != null && o.ShipTo.City == city,
            16 => o => o.ShipTo == null,
            17 => o => o.Tags.Contains("new"),
            18 => o => o.Lines.Any(l => l.Price > 5),
            19 => o => o.Lines.Any(l => l.Product == "p/1" || l.Quantity == 4),
            20 => o => numbers.Contains(o.Count),
            21 => o => names.Contains(o.Customer),
            22 => o => o.Customer != null && o.Customer.StartsWith("An", StringComparison.Ordinal),
            23 => o => o.Customer != null && o.Customer.EndsWith("nn", StringComparison.Ordinal),
            24 => o => o.Customer != null && o.Customer.Contains(".b*"),
            _ => o => string.IsNullOrEmpty(o.Customer) || o.Customer.Equals("ANN", StringComparison.OrdinalIgnoreCase),
        };
    }

    private sealed class Replace(Expression from, Expression to) : ExpressionVisitor
    {
        public override Expression? Visit(Expression? node) => node == from ? to : base.Visit(node);
    }
}
