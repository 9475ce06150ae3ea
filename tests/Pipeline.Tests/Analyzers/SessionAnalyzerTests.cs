using Microsoft.CodeAnalysis;
using Xunit;

namespace Pipeline.Tests.Analyzers;

public sealed class SessionAnalyzerTests
{
    [Fact]
    public async Task A_session_that_is_never_disposed_is_reported()
    {
        var found = await AnalyzerRun.ExpectAsync(
            """
            public sealed class Order;

            public static class Orders
            {
                public static async Task<Order?> FindAsync(IDocumentStore store, string id)
                {
                    var session = store.OpenSession(); // PIPE002: it keeps its objects
                    return await session.LoadAsync<Order>(id);
                }
            }
            """
        );
        Assert.Equal(DiagnosticSeverity.Warning, found[0].Severity);
        Assert.Equal(
            "The session 'session' is never disposed; declare a variable for it with 'await using'",
            found[0].GetMessage(System.Globalization.CultureInfo.InvariantCulture)
        );
    }

    [Fact]
    public Task Sessions_without_a_variable_are_reported() =>
        AnalyzerRun.ExpectAsync(
            """
            public sealed class Order;

            public static class Orders
            {
                public static async Task Run(IDocumentStore store)
                {
                    store.OpenSession(); // PIPE002
                    _ = store.OpenSession(); // PIPE002
                    await store.OpenSession().LoadAsync<Order>("orders/1"); // PIPE002
                    Console.WriteLine(store.OpenSession().Advanced.RequestCount); // PIPE002
                    IDocumentSession? session;
                    session = store.OpenSession(new SessionOptions()); // PIPE002
                    if (session is not null)
                        session.Delete("orders/1");
                    Func<Task> later = async () =>
                    {
                        var inner = store.OpenSession(); // PIPE002
                        await inner.SaveChangesAsync();
                    };
                    await later();
                }
            }
            """
        );

    [Fact]
    public Task Programs_without_a_class_are_checked_too() =>
        AnalyzerRun.ExpectAsync(
            """
            await using IDocumentStore store = DocumentStore.Connect("http://127.0.0.1:1", "shop");
            var session = store.OpenSession(); // PIPE002
            session.Delete("orders/1");
            var other = store.OpenSession();
            await other.SaveChangesAsync();
            await other.DisposeAsync();
            other.Delete("orders/1"); // PIPE003
            """,
            isProgram: true
        );

    [Fact]
    public Task A_session_that_is_disposed_or_handed_on_is_not_reported() =>
        AnalyzerRun.ExpectAsync(
            """
            public sealed class Order;

            public sealed class Orders(IDocumentStore store)
            {
                private IDocumentSession? _session;

                public IDocumentSession Open() => store.OpenSession();

                public IDocumentSession Opened()
                {
                    var session = store.OpenSession();
                    session.Delete("orders/1");
                    return session;
                }

                public void Keep() => _session = store.OpenSession();

                public void KeepLater()
                {
                    var session = store.OpenSession();
                    _session = session;
                }

                public Task PassOn()
                {
                    var session = store.OpenSession();
                    return UseAsync(session);
                }

                public async Task Disposed()
                {
                    await using var first = store.OpenSession();
                    await first.SaveChangesAsync();
                    await using (var second = store.OpenSession())
                        await second.SaveChangesAsync();
                    await using (store.OpenSession())
                        await first.SaveChangesAsync();
                    await using var third = store.OpenSession().ConfigureAwait(false);
                    var fourth = store.OpenSession();
                    await using (fourth.ConfigureAwait(false))
                        await fourth.SaveChangesAsync();
                    var fifth = store.OpenSession();
                    try
                    {
                        await fifth.SaveChangesAsync();
                    }
                    finally
                    {
                        await fifth.DisposeAsync();
                    }

                    IDocumentSession? sixth = store.OpenSession();
                    if (sixth is not null)
                        await sixth.DisposeAsync().ConfigureAwait(false);
                }

                private static async Task UseAsync(IDocumentSession session)
                {
                    await session.SaveChangesAsync();
                    await session.DisposeAsync();
                }
            }
            """
        );

    [Fact]
    public async Task A_query_that_is_returned_from_its_session_is_reported()
    {
        var found = await AnalyzerRun.ExpectAsync(
            """
            public sealed record Order(string Customer);

            public static class Orders
            {
                public static async Task<IAsyncEnumerable<Order>> OfAsync(IDocumentStore store, string customer)
                {
                    await using var session = store.OpenSession();
                    await session.LoadAsync<Order>(customer);
                    return session.Query<Order>().Where(o => o.Customer == customer).AsAsyncEnumerable(); // PIPE003
                }
            }
            """
        );
        Assert.Equal(DiagnosticSeverity.Warning, found[0].Severity);
        Assert.Equal(
            "The returned query runs after the session 'session' was disposed; return its results, for example those of ToListAsync",
            found[0].GetMessage(System.Globalization.CultureInfo.InvariantCulture)
        );
    }

    [Fact]
    public Task A_use_behind_the_end_of_a_session_is_reported() =>
        AnalyzerRun.ExpectAsync(
            """
            public sealed class Order;

            public static class Orders
            {
                public static async Task<IQueryable<Order>> Run(IDocumentStore store)
                {
                    var first = store.OpenSession();
                    await using (first)
                        await first.SaveChangesAsync();
                    await first.LoadAsync<Order>("orders/1"); // PIPE003
                    var second = store.OpenSession();
                    try
                    {
                        await second.SaveChangesAsync();
                    }
                    finally
                    {
                        await second.DisposeAsync();
                    }

                    if (store.Options is not null)
                        second.Delete("orders/1"); // PIPE003
                    await using (var third = store.OpenSession())
                        return third.Query<Order>(); // PIPE003
                }
            }
            """
        );

    [Fact]
    public Task Uses_before_the_end_and_of_a_new_session_are_not_reported() =>
        AnalyzerRun.ExpectAsync(
            """
            public sealed class Order
            {
                public int Total { get; set; }
            }

            public static class Orders
            {
                public static async Task<List<Order>> Run(IDocumentStore store, bool isDone)
                {
                    var session = store.OpenSession();
                    if (isDone)
                    {
                        await session.DisposeAsync();
                        return [];
                    }

                    await session.SaveChangesAsync();
                    await session.DisposeAsync();
                    session = store.OpenSession();
                    await session.SaveChangesAsync();
                    await session.DisposeAsync();
                    await session.DisposeAsync();
                    await using var last = store.OpenSession();
                    Func<IQueryable<Order>> query = () => last.Query<Order>();
                    return await query().Where(o => o.Total > 1).ToListAsync();
                }

                public static async IAsyncEnumerable<Order> Stream(IDocumentStore store)
                {
                    await using var session = store.OpenSession();
                    await foreach (var order in session.Query<Order>().AsAsyncEnumerable())
                        yield return order;
                }
            }
            """
        );
}
