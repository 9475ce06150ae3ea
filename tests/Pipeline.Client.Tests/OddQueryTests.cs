using Xunit;

namespace Pipeline.Client.Tests;

/// <summary>
/// Queries as programs write them: query expressions, conditions behind selections, long lists, odd pages, streams that
/// are left.
/// </summary>
public sealed class OddQueryTests
{
    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task A_chain_finds_what_it_finds_in_memory(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        var orders = await FillAsync(f);
        await using var session = f.Store.OpenSession();
        var (asked, memory) = (session.Query<Order>(), orders.AsQueryable());
        var many = Enumerable.Range(0, 2_000).Select(n => n % 7 == 0 ? n : -n - 1).ToList();
        List<string> none = [];
        string? nobody = null;

        await SameAsync(q =>
            from o in q
            let name = o.Customer
            where name == "Ann" && o.Count > 2
            orderby o.Count descending, o.Id
            select new { o.Id, name }
        );
        await SameAsync(q =>
            from o in q
            let city = o.ShipTo!.City
            let n = o.Count
            where n < 6
            orderby n, o.Id
            select o.Id + n
        );
        await SameAsync(q => from o in q let n = o.Count where n == 3 orderby o.Id select o.Total);
        await SameAsync(q =>
            q.Select(o => new
                {
                    o.Id,
                    o.Total,
                    Name = o.Customer,
                })
                .Where(x => x.Total > 5 && x.Name != null)
                .OrderBy(x => x.Total)
                .ThenBy(x => x.Id)
                .Select(x => x.Id)
        );
        await SameAsync(q => q.OrderBy(o => o.Id).Select(o => o.Count).Where(n => n > 3));
        await SameAsync(q =>
            q.Select(o => new Pair(o.Id!, new Pair(o.Customer ?? "-", null)))
                .Where(p => p.First != "orders/3")
                .OrderBy(p => p.First)
        );
        await SameAsync(q =>
            q.Where(o => o.Count > 2)
                .Where(o => o.Total < 15)
                .OrderBy(o => o.Weight)
                .ThenBy(o => o.Id)
                .Select(o => o.Id)
        );
        await SameAsync(q => q.OrderBy(o => o.Id).Skip(35).Select(o => o.Id));
        await SameAsync(q => q.OrderBy(o => o.Id).Select(o => o.Id).Skip(3).Take(10).Skip(2).Take(4));
        await SameAsync(q => q.Where(o => many.Contains(o.Count)).OrderBy(o => o.Id).Select(o => o.Id));
        await SameAsync(q => q.Where(o => none.Contains(o.Customer!)).Select(o => o.Id));
        await SameAsync(q => q.Where(o => !none.Contains(o.Customer!)).OrderBy(o => o.Id).Select(o => o.Id));
        await SameAsync(q =>
            q.Where(o => o.Customer == nobody && o.Company != null).OrderBy(o => o.Id).Select(o => o.Id)
        );
        await SameAsync(q =>
            q.Where(o => string.IsNullOrEmpty(o.Customer) == false).OrderBy(o => o.Id).Select(o => o.Id)
        );
        await SameAsync(q =>
            q.Where(o => o.Tags.Contains("new") == true && o.Weight.HasValue == false)
                .OrderBy(o => o.Id)
                .Select(o => o.Id)
        );
        await SameAsync(q => q.Where(o => false != o.Tags.Contains("new")).OrderBy(o => o.Id).Select(o => o.Id));
        await SameAsync(q => q.Where(o => o.IsUrgent ? o.Total > 5 : o.Count > 3).OrderBy(o => o.Id).Select(o => o.Id));
        await SameAsync(q =>
            q.Where(o => o.At > new DateTime(2026, 1, 9, 0, 0, 0, DateTimeKind.Utc).AddDays(-4).AddHours(1))
                .OrderBy(o => o.Id)
                .Select(o => o.Id)
        );
        await SameAsync(q => q.Where(o => !o.Lines.Any(l => l.Price <= 3)).OrderBy(o => o.Id).Select(o => o.Id));
        await SameAsync(q =>
            q.GroupBy(o => o.Customer)
                .Select(g => new
                {
                    g.Key,
                    N = g.Count(),
                    Sum = g.Sum(o => o.Total),
                    Most = g.Max(o => o.Count),
                })
                .Where(x => x.N > 3 && x.Sum > 1)
                .OrderByDescending(x => x.N)
                .ThenBy(x => x.Key)
                .Take(2)
        );
        await SameAsync(q =>
            from o in q
            group o by o.State into g
            let n = g.Count()
            where n > 1
            orderby n, g.Min(o => o.Total)
            select new
            {
                g.Key,
                n,
                Mean = g.Average(o => o.Count),
            }
        );
        await SameAsync(q => q.Select(o => new { o.State, o.IsUrgent }).Distinct(), isOrdered: false);
        await SameAsync(q => q.Where(o => o.Count == 1).Select(o => o.State).Distinct(), isOrdered: false);

        async Task SameAsync<T>(Func<IQueryable<Order>, IQueryable<T>> make, bool isOrdered = true)
        {
            var query = make(asked);
            List<T> expected = [.. make(memory)],
                found = await query.ToListAsync();
            if (!isOrdered)
            {
                (expected, found) = (
                    [.. expected.OrderBy(x => x!.ToString(), StringComparer.Ordinal)],
                    [.. found.OrderBy(x => x!.ToString(), StringComparer.Ordinal)]
                );
            }

            Assert.True(
                expected.SequenceEqual(found),
                $"{query.ToQueryString()}\nexpected: {string.Join(' ', expected)}\nfound: {string.Join(' ', found)}"
            );
            Assert.Equal(expected.Count, await query.CountAsync());
        }
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task A_query_expression_that_ends_in_its_document_tracks_it(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await FillAsync(f);
        await using var session = f.Store.OpenSession();
        var order = await (
            from o in session.Query<Order>()
            let n = o.Count
            where o.Id == "orders/3"
            select o
        ).SingleAsync();
        Assert.Same(order, await session.LoadAsync<Order>("orders/3"));
        order.Count = 77;
        await session.SaveChangesAsync();
        Assert.Equal("orders/3", (await session.Query<Order>().SingleAsync(o => o.Count == 77)).Id);
        await Assert.ThrowsAsync<InvalidOperationException>(async () =>
            await session.Query<Order>().SingleAsync(o => o.Count < 77)
        );
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task Results_come_by_key_and_with_what_they_refer_to(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        var orders = await FillAsync(f);
        await using (var writing = f.Store.OpenSession())
        {
            writing.Store(new Company("companies/1", "One"));
            writing.Store(new Company("companies/2", "Two"));
            writing.Store(new Basket { Id = "baskets/1", Companies = ["companies/1", "companies/2"] });
            await writing.SaveChangesAsync();
        }

        await using var session = f.Store.OpenSession();
        Assert.Equal(
            orders.ToDictionary(o => o.Id!, o => o.Total),
            await session.Query<Order>().ToDictionaryAsync(o => o.Id!, o => o.Total)
        );
        Assert.Equal(
            orders.Count,
            (await session.Query<Order>().Select(o => new { o.Id, o.Count }).ToDictionaryAsync(x => x.Id!)).Count
        );
        await Assert.ThrowsAsync<ArgumentException>(async () =>
            await session.Query<Order>().ToDictionaryAsync(o => o.State)
        );

        var basket = await session.Query<Basket>().Include(b => b.Companies).SingleAsync();
        var requests = session.Advanced.RequestCount;
        var companies = await session.LoadAsync<Company>(basket.Companies);
        Assert.Equal(("One", "Two"), (companies["companies/1"]!.Name, companies["companies/2"]!.Name));
        Assert.Equal(requests, session.Advanced.RequestCount);
        session.Advanced.Clear();
        basket = (await session.Include<Basket>(b => b.Companies).LoadAsync("baskets/1"))!;
        requests = session.Advanced.RequestCount;
        Assert.Equal("Two", (await session.LoadAsync<Company>(basket.Companies[1]))!.Name);
        Assert.Equal(requests, session.Advanced.RequestCount);
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task A_stream_may_be_left_and_cancelled(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await FillAsync(f);
        await using var session = f.Store.OpenSession();
        var seen = 0;
        await foreach (var _ in session.Query<Order>().AsAsyncEnumerable())
        {
            if (++seen == 3)
                break;
        }

        Assert.Equal(3, seen);
        using var stop = new CancellationTokenSource();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
        {
            await foreach (var _ in session.Query<Order>().AsAsyncEnumerable().WithCancellation(stop.Token))
                await stop.CancelAsync();
        });
        Assert.Equal(40, await session.Query<Order>().CountAsync());
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task A_missing_index_is_an_error_of_the_query(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await using var session = f.Store.OpenSession();
        var missing = await Assert.ThrowsAsync<QueryException>(async () =>
            await session.Query<Order>("No/Such").ToListAsync()
        );
        Assert.Contains("No/Such", missing.Message, StringComparison.Ordinal);
        Assert.Contains("No/Such", missing.Query, StringComparison.Ordinal);
        await Assert.ThrowsAsync<QueryException>(async () =>
        {
            await foreach (var _ in session.Query<Order>("No/Such").AsAsyncEnumerable()) { }
        });
    }

    [Fact]
    public async Task A_stream_that_the_server_breaks_off_is_an_error_of_the_server()
    {
        using var http = new HttpClient(new BrokenAnswer());
        await using var store = DocumentStore.Connect("http://shop.example", "shop", client: http);
        await using var session = store.OpenSession();
        var seen = new List<string?>();
        var broken = await Assert.ThrowsAsync<ServerException>(async () =>
        {
            await foreach (var order in session.Query<Order>().AsAsyncEnumerable())
                seen.Add(order.Id);
        });
        Assert.Equal(["orders/1"], seen);
        Assert.Equal(
            (0, "http://shop.example closed the stream of results early: gone"),
            (broken.Status, broken.Message)
        );
    }

    [Fact]
    public async Task What_is_often_written_is_refused_with_its_way_round()
    {
        await using var f = await ClientFixture.OpenAsync(false);
        await using var session = f.Store.OpenSession();
        var orders = session.Query<Order>();
#pragma warning disable CA1862 // The expression to refuse.
        Refused(orders.Where(o => o.Customer!.ToLower() == "ann"), "OrdinalIgnoreCase");
#pragma warning restore CA1862
        Refused(orders.Where(o => o.At.Date == new DateTime(2026, 1, 1)), "x >= from && x < to");
        Refused(orders.Where(o => o.At.AddDays(7) > new DateTime(2026, 1, 1)), "time.AddDays(-7)");
        Refused(orders.Where(o => o.Count * 2 > 5), "to the other side");
        Refused(orders.Where(o => o.Lines.All(l => l.Price > 1)), "write !list.Any(");
        Refused(orders.Where(o => o.Lines.Any()), "store the number");
        Refused(orders.Select(o => o.Company).GroupBy(c => c).Select(g => g.Key), "put GroupBy before Select");
        Refused(orders.Select(o => o.State).Distinct().Select(s => new { s }), "put Distinct last");

        static void Refused<T>(IQueryable<T> query, string part) =>
            Assert.Contains(
                part,
                Assert.Throws<UnsupportedExpressionException>(query.ToQueryString).Message,
                StringComparison.Ordinal
            );
    }

    private static async Task<List<Order>> FillAsync(ClientFixture f)
    {
        var random = new Random(11);
        var orders = new List<Order>();
        await f.StoreOrdersAsync(
            40,
            n =>
            {
                orders.Add(
                    new Order
                    {
                        Id = $"orders/{n}",
                        Customer = random.Next(4) switch
                        {
                            0 => null,
                            1 => "",
                            2 => "Bob",
                            _ => "Ann",
                        },
                        Company = random.Next(3) == 0 ? null : "companies/1",
                        Total = random.Next(80) / 4m,
                        Count = random.Next(9),
                        Weight = random.Next(3) == 0 ? null : random.Next(5),
                        IsUrgent = random.Next(2) == 0,
                        State = (OrderState)random.Next(3),
                        At = new DateTime(2026, 1, 1, 0, 0, 0, DateTimeKind.Utc).AddHours(random.Next(200)),
                        ShipTo = new Address(random.Next(2) == 0 ? "Oslo" : "Bergen", null),
                        Tags = [.. new[] { "new", "late" }.Where(_ => random.Next(2) == 0)],
                        Lines =
                        [
                            .. Enumerable
                                .Range(0, random.Next(4))
                                .Select(_ => new Line("p/" + random.Next(3), random.Next(24) / 4m, random.Next(4))),
                        ],
                    }
                );
                return orders[^1];
            }
        );
        return orders;
    }

    private sealed record Pair(string First, Pair? Second);

    private sealed class Basket
    {
        public string? Id { get; set; }

        public List<string> Companies { get; set; } = [];
    }

    /// <summary>A server that goes away in the middle of its answer.</summary>
    private sealed class BrokenAnswer : HttpMessageHandler
    {
        protected override Task<HttpResponseMessage> SendAsync(
            HttpRequestMessage request,
            CancellationToken cancellationToken
        ) =>
            Task.FromResult(
                new HttpResponseMessage
                {
                    Content = new StreamContent(
                        new BrokenStream("""{"Item":{"Total":1,"@metadata":{"@id":"orders/1"}}}"""u8.ToArray())
                    ),
                }
            );
    }

    private sealed class BrokenStream(byte[] line) : MemoryStream([.. line, (byte)'\n'])
    {
        public override async ValueTask<int> ReadAsync(
            Memory<byte> buffer,
            CancellationToken cancellationToken = default
        ) =>
            await base.ReadAsync(buffer, cancellationToken) is > 0 and var count
                ? count
                : throw new IOException("gone");
    }
}
