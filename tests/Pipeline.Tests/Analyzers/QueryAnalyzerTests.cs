using Microsoft.CodeAnalysis;
using Xunit;

namespace Pipeline.Tests.Analyzers;

public sealed class QueryAnalyzerTests
{
    [Fact]
    public async Task A_query_without_a_limit_is_reported()
    {
        var found = await AnalyzerRun.ExpectAsync(
            """
            public sealed record Order(string Customer, decimal Total);

            public static class Orders
            {
                public static async Task<decimal> SumAsync(IDocumentSession session) =>
                    (await session.Query<Order>().ToListAsync()).Sum(o => o.Total); // PIPE004: every order is in memory
            }
            """
        );
        Assert.Equal(DiagnosticSeverity.Info, found[0].Severity);
        Assert.Equal(
            "ToListAsync loads all documents of the class 'Order'; narrow the query with Where, limit it with Take, or read it with 'await foreach' and AsAsyncEnumerable",
            found[0].GetMessage(System.Globalization.CultureInfo.InvariantCulture)
        );
    }

    [Fact]
    public Task Methods_that_keep_all_documents_do_not_count() =>
        AnalyzerRun.ExpectAsync(
            """
            public sealed class Order
            {
                public string Customer { get; set; } = "";
            }

            public static class Orders
            {
                public static async Task Run(IDocumentSession session, IDocumentStore store)
                {
                    await store.Query<Order>().ToListAsync(); // PIPE004
                    await session.Query<Order>().OrderBy(o => o.Customer).Skip(10).Select(o => o.Customer).Distinct().ToArrayAsync(); // PIPE004
                    await session.Query<Order>(null).Include(o => o.Customer).ToResultsAsync(); // PIPE004
                    var query = session.Query<Order>();
                    await query.ToListAsync(); // PIPE004
                    await DocumentQueryable.ToListAsync(session.Query<Order>()); // PIPE004
                }
            }
            """
        );

    [Fact]
    public Task Queries_with_a_limit_a_condition_or_an_index_are_not_reported() =>
        AnalyzerRun.ExpectAsync(
            """
            public sealed class Order
            {
                public string Customer { get; set; } = "";
            }

            public static class Orders
            {
                public static async Task Run(IDocumentSession session, IDocumentStore store, string? customer, IQueryable<Order> given)
                {
                    await session.Query<Order>().Where(o => o.Customer == "Ann").ToListAsync();
                    await session.Query<Order>().OrderBy(o => o.Customer).Take(20).ToArrayAsync();
                    await session.Query<Order>().Search(o => o.Customer, "ann").ToListAsync();
                    await session.Query<Order>().GroupBy(o => o.Customer).Select(g => new { g.Key, Count = g.Count() }).ToListAsync();
                    await session.Query<Order>("Orders/ByCustomer").ToListAsync();
                    await store.Query<Order>("Orders/ByCustomer").ToListAsync();
                    await store.Query<Order>().Where(o => o.Customer == "Ann").ToListAsync();
                    await session.Query<Order>().FirstOrDefaultAsync();
                    await session.Query<Order>().CountAsync();
                    await given.ToListAsync();
                    var query = session.Query<Order>();
                    if (customer is not null)
                        query = query.Where(o => o.Customer == customer);
                    await query.ToListAsync();
                    await foreach (var order in session.Query<Order>().AsAsyncEnumerable())
                        Console.WriteLine(order.Customer);
                    await Enumerable.Range(0, 3).ToAsyncEnumerable().ToListAsync();
                }
            }
            """
        );
}
