using System.Globalization;
using System.Net.Sockets;
using Xunit;

namespace Pipeline.Client.Tests;

/// <summary>Many objects at once, in the process and over HTTP.</summary>
public sealed class BulkInsertTests
{
    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task All_objects_are_stored_and_queries_see_them(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await using (var insert = f.Store.BulkInsert())
        {
            for (var n = 0; n < 5_000; n++)
            {
                await insert.StoreAsync(
                    new Order { Customer = "c" + (n % 7).ToString(CultureInfo.InvariantCulture), Total = n }
                );
            }

            Assert.Equal("companies/9", await insert.StoreAsync(new Company("companies/9", "Tea & Co")));
            Assert.Equal("other", await insert.StoreAsync(new Order { Customer = "x" }, "other"));
            Assert.Equal(5_002, insert.Count);
            Assert.Equal(5_002, await insert.CompleteAsync());
            await Assert.ThrowsAsync<ObjectDisposedException>(async () => await insert.StoreAsync(new Order()));
        }

        await using var session = f.Store.OpenSession();
        Assert.Equal(5_001, await session.Query<Order>().CountAsync());
        Assert.Equal("Tea & Co", (await session.LoadAsync<Company>("companies/9"))!.Name);
        Assert.Equal("x", (await session.LoadAsync<Order>("other"))!.Customer);
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task Disposal_stores_the_rest_and_nothing_is_nothing(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await using (f.Store.BulkInsert()) { }

        await Assert.ThrowsAsync<FormatException>(async () =>
        {
            await using var insert = f.Store.BulkInsert();
            await insert.StoreAsync(new Company("companies/1", "A"));
            throw new FormatException();
        });
        await using var session = f.Store.OpenSession();
        Assert.NotNull(await session.LoadAsync<Company>("companies/1"));
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task A_document_that_is_refused_is_an_error_and_what_came_before_stays(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        var insert = f.Store.BulkInsert();
        await insert.StoreAsync(new Company("companies/1", "A"));
        var e = await Assert.ThrowsAsync<BulkInsertException>(async () =>
        {
            await insert.StoreAsync(new Company("", "B"), new string('x', 5_000));
            for (var n = 0; n < 100_000; n++)
                await insert.StoreAsync(new Company("", new string('y', 1_000)), "companies/2");
            await insert.CompleteAsync();
        });
        Assert.Contains("'xxxxxxxx", e.Message, StringComparison.Ordinal);
        await Record.ExceptionAsync(async () => await insert.DisposeAsync());
        await using var session = f.Store.OpenSession();
        Assert.NotNull(await session.LoadAsync<Company>("companies/1"));
    }

    [Fact]
    public async Task The_reason_of_a_refusal_is_told_when_its_answer_is_lost()
    {
        await using var f = await ClientFixture.OpenAsync(isRemote: true);
        using var http = new HttpClient(new LosingHandler());
        await using var store = DocumentStore.Connect($"http://127.0.0.1:{f.Port}", "shop", client: http);
        var insert = store.BulkInsert();
        var e = await Assert.ThrowsAsync<BulkInsertException>(async () =>
        {
            await insert.StoreAsync(new Company("", "A"), new string('x', 5_000));
            await insert.CompleteAsync();
        });
        Assert.Contains("'xxxxxxxx", e.Message, StringComparison.Ordinal);
        await insert.DisposeAsync();

        var stored = store.BulkInsert();
        e = await Assert.ThrowsAsync<BulkInsertException>(async () =>
        {
            await stored.StoreAsync(new Company("", "A"), "companies/1");
            await stored.CompleteAsync();
        });
        Assert.Contains("does not answer: lost", e.Message, StringComparison.Ordinal);
        await stored.DisposeAsync();
    }

    [Theory]
    [InlineData("Raven.Client.Exceptions.BadRequestException", 500, "the reason")]
    [InlineData("Raven.Client.Exceptions.RavenException", 507, "the reason")]
    [InlineData("Raven.Client.Exceptions.RavenException", 500, "does not answer: lost")]
    public async Task The_loss_of_the_connection_is_no_refusal(string type, int status, string expected)
    {
        using var http = new HttpClient(
            new EndingHandler(
                $$$"""{"Status":"Faulted","Result":{"Type":"{{{type}}}","Message":"the reason","StatusCode":{{{status}}}}}"""
            )
        );
        await using var store = DocumentStore.Connect("http://127.0.0.1:1", "db", client: http);
        var insert = store.BulkInsert();
        var e = await Assert.ThrowsAsync<BulkInsertException>(async () =>
        {
            await insert.StoreAsync(new Company("", "A"), "companies/1");
            await insert.CompleteAsync();
        });
        Assert.Contains(expected, e.Message, StringComparison.Ordinal);
        await Record.ExceptionAsync(async () => await insert.DisposeAsync());
    }

    [Fact]
    public async Task A_server_that_is_not_there_is_an_error()
    {
        await using var store = DocumentStore.Connect(
            "http://127.0.0.1:1",
            "db",
            new DocumentStoreOptions { MakeId = _ => "a/1" }
        );
        var insert = store.BulkInsert();
        var e = await Assert.ThrowsAsync<BulkInsertException>(async () =>
        {
            await insert.StoreAsync(new Company("", "A"));
            await insert.CompleteAsync();
        });
        Assert.Contains("127.0.0.1:1 does not answer", e.Message, StringComparison.Ordinal);
        await insert.DisposeAsync();
    }

    [Fact]
    public async Task A_connection_that_is_reset_at_once_is_a_server_that_is_not_there()
    {
        using var http = new HttpClient(new ResetHandler());
        await using var store = DocumentStore.Connect("http://127.0.0.1:1", "db", client: http);
        await using var session = store.OpenSession();
        var e = await Assert.ThrowsAsync<ServerException>(async () => await session.LoadAsync<Company>("companies/1"));
        Assert.Contains("127.0.0.1:1 does not answer", e.Message, StringComparison.Ordinal);
    }

    /// <summary>Loses a bulk insert, and tells how its operation has ended.</summary>
    private sealed class EndingHandler(string state) : HttpMessageHandler
    {
        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken ct) =>
            request.RequestUri!.AbsolutePath.EndsWith("/bulk_insert", StringComparison.Ordinal)
                ? throw new HttpRequestException("lost")
                : Task.FromResult(
                    new HttpResponseMessage
                    {
                        Content = new StringContent(
                            request.RequestUri.AbsolutePath.EndsWith("/state", StringComparison.Ordinal)
                                ? state
                                : """{"Id":1}"""
                        ),
                    }
                );
    }

    /// <summary>Loses the answers to bulk inserts.</summary>
    private sealed class LosingHandler() : DelegatingHandler(new SocketsHttpHandler())
    {
        protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken ct)
        {
            var answer = await base.SendAsync(request, ct);
            return request.RequestUri!.AbsolutePath.EndsWith("/bulk_insert", StringComparison.Ordinal)
                ? throw new HttpRequestException("lost")
                : answer;
        }
    }

    /// <summary>The error of .NET when a new connection is reset at once.</summary>
    private sealed class ResetHandler : HttpMessageHandler
    {
        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken ct) =>
            throw new SocketException((int)SocketError.NotConnected);
    }
}
