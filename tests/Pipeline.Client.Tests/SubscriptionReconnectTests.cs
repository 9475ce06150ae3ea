using System.Net;
using System.Net.WebSockets;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Threading.Channels;
using Pipeline.Database.Certificates;
using Pipeline.Server;
using Pipeline.Server.Hosting;
using Pipeline.Server.Security;
using Pipeline.Server.Settings;
using Pipeline.TestKit.Certificates;
using Pipeline.TestKit.Files;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Client.Tests;

/// <summary>Workers that lose their server, are refused, or are limited.</summary>
public sealed class SubscriptionReconnectTests
{
    private static readonly X509Certificate2 HostCertificate = TestCertificate.Make("server");
    private static readonly X509Certificate2 Reader = TestCertificate.Make("reader");
    private static readonly X509Certificate2 Writer = TestCertificate.Make("writer");
    private static readonly X509Certificate2 Root = TestCertificate.Make("root");
    private readonly ManualTimeProvider _time = new();
    private readonly Channel<SubscriptionInterruption> _interruptions =
        Channel.CreateUnbounded<SubscriptionInterruption>();

    private SubscribeOptions Watched =>
        new()
        {
            Time = _time,
            MaxReconnectTime = Timeout.InfiniteTimeSpan,
            Interrupted = i => _interruptions.Writer.TryWrite(i),
        };

    [Fact]
    public async Task A_server_that_goes_away_and_comes_back_is_found_again()
    {
        using var folder = new TestFolder();
        using var stop = new CancellationTokenSource();
        var options = new ServerOptions { DataFolder = folder["data"] };
        var server = await PipelineServer.StartAsync(options);
        await server.CreateDatabaseAsync("shop");
        await using var store = DocumentStore.Connect(server.Url.ToString(), "shop");
        await store.Subscriptions.CreateAsync<Company>("s");
        await StoreAsync(store, "companies/1", "companies/2");
        await using var worker = store
            .Subscribe<Company>("s", Watched with { MaxBatchCount = 1 })
            .GetAsyncEnumerator(stop.Token);
        Assert.True(await worker.MoveNextAsync());
        Assert.True(await worker.MoveNextAsync());
        await server.DisposeAsync();

        var next = worker.MoveNextAsync();
        foreach (var seconds in (double[])[0, 0.5, 1, 2])
        {
            var interruption = await _interruptions.Reader.ReadAsync();
            Assert.Equal(
                (SubscriptionProblem.Unreachable, TimeSpan.FromSeconds(seconds)),
                (interruption.Error.Problem, interruption.Wait)
            );
            if (seconds == 2)
                break;
            await WaitedAsync(interruption);
        }

        var again = await PipelineServer.StartAsync(options with { Url = server.Url });
        await WaitedAsync(new SubscriptionInterruption(null!, 0, TimeSpan.FromSeconds(2)));
        Assert.True(await next);
        Assert.Equal("companies/2", Assert.Single(worker.Current).Id);

        // A connection that held and delivered begins anew: at once.
        await again.DisposeAsync();
        next = worker.MoveNextAsync();
        Assert.Equal(
            (1, TimeSpan.Zero),
            await _interruptions.Reader.ReadAsync() is var first ? (first.Attempt, first.Wait) : default
        );
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await next);
    }

    [Fact]
    public async Task A_server_that_stays_away_ends_the_loop_after_the_limit()
    {
        await using var store = DocumentStore.Connect("http://127.0.0.1:1", "shop");
        var run = store
            .Subscribe<Company>("s", Watched with { MaxReconnectTime = TimeSpan.FromSeconds(8) })
            .RunAsync((_, _) => Task.CompletedTask);
        var waits = new List<double>();
        while (!run.IsCompleted)
        {
            var next = _interruptions.Reader.ReadAsync().AsTask();
            if (await Task.WhenAny(next, run) == run)
                break;
            var interruption = await next;
            waits.Add(interruption.Wait.TotalSeconds);
            await WaitedAsync(interruption);
        }

        var e = await Assert.ThrowsAsync<SubscriptionException>(() => run);
        Assert.Equal((SubscriptionProblem.Unreachable, true), (e.Problem, e.CanReconnect));
        Assert.Contains("127.0.0.1:1 does not answer", e.Message, StringComparison.Ordinal);
        Assert.Equal([0.5, 1, 2, 4], waits);
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task A_paused_subscription_is_waited_for(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.StoreOrdersAsync(1);
        await f.Store.Subscriptions.CreateAsync<Order>("s");
        await f.Subscriptions.PauseAsync("s");
        await using var worker = f.Store.Subscribe<Order>("s", Watched).GetAsyncEnumerator();
        var next = worker.MoveNextAsync();
        var interruption = await _interruptions.Reader.ReadAsync();
        Assert.Equal(
            (SubscriptionProblem.Paused, 1, TimeSpan.FromSeconds(0.5)),
            (interruption.Error.Problem, interruption.Attempt, interruption.Wait)
        );
        await f.Subscriptions.ResumeAsync("s");
        await WaitedAsync(interruption);
        Assert.True(await next);
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task A_position_that_moves_is_followed_at_once(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.StoreOrdersAsync(1);
        await f.Store.Subscriptions.CreateAsync<Order>("s");
        await using var worker = f.Store.Subscribe<Order>("s", Watched).GetAsyncEnumerator();
        Assert.True(await worker.MoveNextAsync());
        await worker.Current.AcknowledgeAsync();
        var next = worker.MoveNextAsync();
        await f.Subscriptions.MoveAsync("s", Pipeline.Subscriptions.SubscriptionStart.Beginning);
        await PassAsync(next);
        Assert.Equal("orders/0", worker.Current[0].Id);
        Assert.Equal(TimeSpan.Zero, (await _interruptions.Reader.ReadAsync()).Wait);
    }

    [Fact]
    public async Task The_http_client_authenticates_and_rights_are_checked()
    {
        await using var server = await PipelineServer.StartAsync(
            new ServerOptions
            {
                Url = new Uri("https://127.0.0.1:0"),
                Certificate = HostCertificate,
                Clients =
                [
                    Permission("reader", Reader, DatabaseAccess.Read),
                    Permission("writer", Writer, DatabaseAccess.ReadWrite),
                    Permission("root", Root, DatabaseAccess.None) with
                    {
                        IsAdmin = true,
                    },
                ],
            }
        );
        await server.CreateDatabaseAsync("shop");
        using var readerHttp = Http(Reader);
        using var writerHttp = Http(Writer);
        using var rootHttp = Http(Root);
        using var nobodyHttp = Http(null);
        await using var reader = DocumentStore.Connect(server.Url.ToString(), "shop", client: readerHttp);
        await using var writer = DocumentStore.Connect(server.Url.ToString(), "shop", client: writerHttp);
        await using var root = DocumentStore.Connect(server.Url.ToString(), "shop", client: rootHttp);
        await using var nobody = DocumentStore.Connect(server.Url.ToString(), "shop", client: nobodyHttp);
        var inCSharp = new SubscriptionOptions { Filter = "doc.Name == \"companies/1\"" };
        Assert.Equal(
            SubscriptionProblem.AccessDenied,
            (
                await Assert.ThrowsAsync<SubscriptionException>(() => reader.Subscriptions.CreateAsync<Company>("s"))
            ).Problem
        );
        Assert.Equal(
            SubscriptionProblem.AccessDenied,
            (
                await Assert.ThrowsAsync<SubscriptionException>(() =>
                    writer.Subscriptions.CreateAsync<Company>("s", inCSharp)
                )
            ).Problem
        );
        await writer.Subscriptions.CreateAsync<Company>(
            "q",
            new SubscriptionOptions { Query = "from Companies where Name = 'companies/2'" }
        );
        await root.Subscriptions.CreateAsync<Company>("s", inCSharp);
        await StoreAsync(writer, "companies/1", "companies/2");
        foreach (var (name, id) in new[] { ("s", "companies/1"), ("q", "companies/2") })
        {
            await foreach (var batch in writer.Subscribe<Company>(name, new SubscribeOptions { EndsWhenEmpty = true }))
                Assert.Equal(id, Assert.Single(batch).Id);
        }

        foreach (var refused in new[] { reader, nobody })
        {
            var e = await Assert.ThrowsAsync<SubscriptionException>(() =>
                refused.Subscribe<Company>("s").RunAsync((_, _) => Task.CompletedTask)
            );
            Assert.Equal((SubscriptionProblem.AccessDenied, "s"), (e.Problem, e.Subscription));
            Assert.Contains("needs read", e.Message, StringComparison.Ordinal);
        }

        await using var missing = DocumentStore.Connect(server.Url.ToString(), "other", client: rootHttp);
        Assert.Equal(
            SubscriptionProblem.NotFound,
            (
                await Assert.ThrowsAsync<SubscriptionException>(() =>
                    missing.Subscribe<Company>("s").RunAsync((_, _) => Task.CompletedTask)
                )
            ).Problem
        );
    }

    [Fact]
    public async Task A_client_has_as_many_workers_as_streams_and_its_place_is_free_when_one_leaves()
    {
        await using var server = await PipelineServer.StartAsync(
            new ServerOptions { Limits = new ServerLimits { MaxClientStreams = 1 } }
        );
        await server.CreateDatabaseAsync("shop");
        await using var store = DocumentStore.Connect(server.Url.ToString(), "shop");
        await StoreAsync(store, "companies/1");
        await store.Subscriptions.CreateAsync<Company>("s");
        await using var first = store.Subscribe<Company>("s").GetAsyncEnumerator();
        Assert.True(await first.MoveNextAsync());
        await using var second = store.Subscribe<Company>("s", Watched).GetAsyncEnumerator();
        var next = second.MoveNextAsync();
        var interruption = await _interruptions.Reader.ReadAsync();
        Assert.Equal(SubscriptionProblem.Unreachable, interruption.Error.Problem);
        Assert.Contains("MaxClientStreams", interruption.Error.Message, StringComparison.Ordinal);
        await first.DisposeAsync();
        await PassAsync(next);
    }

    [Fact]
    public async Task A_large_batch_comes_in_parts_and_memory_is_given_back()
    {
        await using var server = await PipelineServer.StartAsync(
            new ServerOptions
            {
                Limits = new ServerLimits { MaxRequestMemory = 3 << 20, MaxMemory = 3 << 20 },
            }
        );
        await server.CreateDatabaseAsync("shop");
        await using var store = DocumentStore.Connect(server.Url.ToString(), "shop");
        await store.Subscriptions.CreateAsync<Company>("s");
        for (var n = 0; n < 10; n++)
        {
            await using var session = store.OpenSession();
            session.Store(new Company($"companies/{n}", new string((char)('a' + n), 500_000)));
            await session.SaveChangesAsync();
        }

        var lengths = 0;
        var options = new SubscribeOptions { EndsWhenEmpty = true, MaxBatchBytes = 16 << 20 };
        await foreach (var batch in store.Subscribe<Company>("s", options))
            lengths += batch.Sum(i => i.Document.Name.Length);
        Assert.Equal(5_000_000, lengths);
    }

    [Theory]
    [InlineData("{}")]
    [InlineData("rubbish")]
    [InlineData("""{"Type":"Acknowledge","Except":[{"Index":7,"Reason":"x"}]}""")]
    public async Task A_worker_that_sends_rubbish_is_told_so_and_its_batch_comes_again(string message)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote: true);
        await f.StoreOrdersAsync(1);
        await f.Store.Subscriptions.CreateAsync<Order>("s");
        using (var socket = new ClientWebSocket())
        {
            await socket.ConnectAsync(
                new Uri($"ws://127.0.0.1:{f.Port}/databases/shop/subscriptions/worker?name=s"),
                CancellationToken.None
            );
            Assert.StartsWith("""{"Type":"Accepted",""", await ReceiveAsync(socket), StringComparison.Ordinal);
            Assert.StartsWith("""{"Type":"Batch",""", await ReceiveAsync(socket), StringComparison.Ordinal);
            await socket.SendAsync(
                Encoding.UTF8.GetBytes(message),
                WebSocketMessageType.Text,
                endOfMessage: true,
                CancellationToken.None
            );
            Assert.StartsWith(
                """{"Type":"End","Problem":"Invalid",""",
                await ReceiveAsync(socket),
                StringComparison.Ordinal
            );
            await socket.CloseAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None);
        }

        Assert.Equal(
            1,
            await f
                .Store.Subscribe<Order>(
                    "s",
                    new SubscribeOptions { EndsWhenEmpty = true, Strategy = SubscriberStrategy.WaitForFree }
                )
                .RunAsync((_, _) => Task.CompletedTask)
        );
    }

    [Fact]
    public async Task A_browser_and_a_plain_request_are_refused()
    {
        await using var f = await ClientFixture.OpenAsync(isRemote: true);
        await f.Store.Subscriptions.CreateAsync<Order>("s");
        using var http = new HttpClient { BaseAddress = new Uri($"http://127.0.0.1:{f.Port}") };
        Assert.Equal(
            HttpStatusCode.BadRequest,
            (await http.GetAsync("/databases/shop/subscriptions/worker?name=s")).StatusCode
        );
        using var socket = new ClientWebSocket { Options = { CollectHttpResponseDetails = true } };
        socket.Options.SetRequestHeader("Sec-Fetch-Site", "same-origin");
        await Assert.ThrowsAsync<WebSocketException>(() =>
            socket.ConnectAsync(
                new Uri($"ws://127.0.0.1:{f.Port}/databases/shop/subscriptions/worker?name=s"),
                CancellationToken.None
            )
        );
        Assert.Equal(HttpStatusCode.Forbidden, socket.HttpStatusCode);
    }

    private static async Task StoreAsync(IDocumentStore store, params string[] ids)
    {
        await using var session = store.OpenSession();
        foreach (var id in ids)
            session.Store(new Company(id, id));
        await session.SaveChangesAsync();
    }

    private static async Task<string> ReceiveAsync(WebSocket socket)
    {
        var buffer = new byte[64 << 10];
        for (var length = 0; ; )
        {
            var part = await socket.ReceiveAsync(buffer.AsMemory(length), CancellationToken.None);
            length += part.Count;
            if (part.EndOfMessage)
                return Encoding.UTF8.GetString(buffer, 0, length);
        }
    }

    /// <summary>Ends waits until a batch comes: an attempt to connect may still find the former server.</summary>
    private async Task PassAsync(ValueTask<bool> next)
    {
        while (!next.IsCompleted)
        {
            _time.Advance(TimeSpan.FromSeconds(30));
            await Task.Yield();
        }

        Assert.True(await next);
    }

    /// <summary>Lets the wait of an interruption be over.</summary>
    private async Task WaitedAsync(SubscriptionInterruption interruption)
    {
        if (interruption.Wait == TimeSpan.Zero)
            return;
        while (await _time.NextTimerAsync() != interruption.Wait) { }

        _time.Advance(interruption.Wait);
    }

    private static ClientPermission Permission(string name, X509Certificate2 certificate, DatabaseAccess access) =>
        new()
        {
            Name = name,
            Thumbprint = CertificateThumbprint.Of(certificate),
            Databases = new Dictionary<string, DatabaseAccess> { ["shop"] = access },
        };

    private static HttpClient Http(X509Certificate2? certificate)
    {
        var handler = new SocketsHttpHandler();
        handler.SslOptions.RemoteCertificateValidationCallback = (_, shown, _, _) =>
            shown?.GetCertHashString() == HostCertificate.GetCertHashString();
        if (certificate is not null)
            handler.SslOptions.ClientCertificates = [certificate];
        return new HttpClient(handler);
    }
}
