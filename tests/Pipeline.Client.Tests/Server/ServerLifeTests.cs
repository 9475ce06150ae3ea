using System.Globalization;
using System.Net;
using System.Net.Http.Headers;
using System.Net.Http.Json;
using System.Net.Sockets;
using System.Net.WebSockets;
using System.Text;
using System.Text.Json;
using Pipeline.Database;
using Pipeline.Database.Indexes;
using Pipeline.Server;
using Pipeline.Server.Hosting;
using Pipeline.Server.Settings;
using Pipeline.Subscriptions;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Client.Tests.Server;

/// <summary>Limits of time and number, and the orderly end.</summary>
public sealed class ServerLifeTests
{
    [Fact]
    public async Task A_request_on_its_way_is_answered_before_the_server_ends()
    {
        await using var database = DocumentDatabase.Open(new DatabaseOptions { Name = "db" });
        await using var subscriptions = SubscriptionHost.Open(database);
        var server = await PipelineServer.StartAsync(
            new ServerOptions
            {
                Shared = [new SharedDatabase(database, subscriptions)],
                Limits = new ServerLimits { DrainTime = TimeSpan.FromMinutes(1) },
            }
        );
        using var tcp = new TcpClient { NoDelay = true };
        await tcp.ConnectAsync(server.Url.Host, server.Url.Port);
        var stream = tcp.GetStream();
        const string first = "[{\"Id\":\"a\",\"Type\":\"PUT\",\"Document\":{\"A\":1}},",
            second = "{\"Id\":\"b\",\"Type\":\"PUT\",\"Document\":{\"B\":1}}]";
        await stream.WriteAsync(
            Encoding.ASCII.GetBytes(
                $"POST /databases/db/bulk_insert?id=1 HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {first.Length + second.Length}\r\n\r\n{first}"
            )
        );
        using (var http = new HttpClient { BaseAddress = server.Url })
        {
            while ((await http.GetAsync("/databases/db/operations/state?id=1")).StatusCode != HttpStatusCode.OK)
                await Task.Yield();
        }
        var ending = server.DisposeAsync().AsTask();
        await stream.WriteAsync(Encoding.ASCII.GetBytes(second));
        using var reader = new StreamReader(stream);
        Assert.StartsWith("HTTP/1.1 200", await reader.ReadLineAsync(), StringComparison.Ordinal);
        await ending;
        using var snapshot = database.OpenSnapshot();
        Assert.Equal(2, snapshot.GetStatistics().Documents);
        await Assert.ThrowsAnyAsync<SocketException>(async () =>
        {
            using var late = new TcpClient();
            await late.ConnectAsync(server.Url.Host, server.Url.Port);
        });
    }

    [Theory]
    [InlineData("changes", "the server stops")]
    [InlineData("subscriptions/worker?name=s", null)]
    public async Task A_stop_closes_web_sockets_in_order(string path, string? reason)
    {
        await using var database = DocumentDatabase.Open(new DatabaseOptions { Name = "db" });
        await using var subscriptions = SubscriptionHost.Open(database);
        await subscriptions.CreateAsync(
            new SubscriptionDefinition { Name = "s", Query = "from Orders" },
            SubscriptionStart.Beginning,
            CancellationToken.None
        );
        var server = await PipelineServer.StartAsync(
            new ServerOptions { Shared = [new SharedDatabase(database, subscriptions)] }
        );
        using var socket = new ClientWebSocket();
        await socket.ConnectAsync(
            new Uri($"ws://127.0.0.1:{server.Url.Port}/databases/db/{path}"),
            CancellationToken.None
        );
        if (path == "changes")
        {
            await socket.SendAsync(
                """{"CommandId":1,"Command":"watch-docs"}"""u8.ToArray(),
                WebSocketMessageType.Text,
                true,
                CancellationToken.None
            );
        }
        var buffer = new byte[1 << 10];
        Assert.Equal(WebSocketMessageType.Text, (await socket.ReceiveAsync(buffer, default)).MessageType);

        var closed = socket.ReceiveAsync(buffer, default);
        var ending = server.DisposeAsync();
        Assert.Equal(WebSocketMessageType.Close, (await closed).MessageType);
        Assert.Equal(WebSocketCloseStatus.EndpointUnavailable, socket.CloseStatus);
        Assert.Equal(reason ?? "", socket.CloseStatusDescription);
        await socket.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None);
        await ending;
    }

    [Fact]
    public async Task An_answer_that_takes_too_long_is_a_timeout()
    {
        var time = new ManualTimeProvider();
        await using var server = await PipelineServer.StartAsync(
            new ServerOptions
            {
                Time = time,
                Limits = new ServerLimits
                {
                    MaxRequestTime = TimeSpan.FromMinutes(5),
                    MaxIdleTime = TimeSpan.FromDays(1),
                },
            }
        );
        var database = await server.CreateDatabaseAsync("db");
        await database.Indexes.PutAsync(
            new IndexDefinition { Name = "I", Maps = ["from u in docs.Users select new { u.Name }"] }
        );
        await database.Indexes.SetStateAsync("I", IndexState.Paused);
        await database.PutAsync("users/1", """{"@metadata":{"@collection":"Users"}}"""u8.ToArray());
        using var http = new HttpClient { BaseAddress = server.Url };
        var asking = http.PostAsJsonAsync(
            "/databases/db/queries",
            new
            {
                Query = "from index 'I'",
                WaitForNonStaleResults = true,
                WaitForNonStaleResultsTimeout = "00:59:00",
            },
            new JsonSerializerOptions()
        );
        while (!asking.IsCompleted)
        {
            time.Advance(TimeSpan.FromSeconds(20));
            await Task.WhenAny(asking, Task.Delay(5));
        }
        var answer = await (await asking).Content.ReadFromJsonAsync<JsonElement>();
        Assert.Equal("System.TimeoutException", answer.GetProperty("Type").GetString());
        Assert.Contains("took longer than 300 s", answer.GetProperty("Message").GetString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Connections_beyond_the_limit_are_closed()
    {
        await using var server = await PipelineServer.StartAsync(
            new ServerOptions { Limits = new ServerLimits { MaxConnections = 2 } }
        );
        var request = "GET /databases HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"u8.ToArray();
        using var one = new TcpClient();
        using var two = new TcpClient();
        foreach (var tcp in (TcpClient[])[one, two])
        {
            await tcp.ConnectAsync(server.Url.Host, server.Url.Port);
            await tcp.GetStream().WriteAsync(request);
            Assert.NotEqual(0, await tcp.GetStream().ReadAsync(new byte[100]));
        }
        var answer = await RawHttp.AskAsync(server.Url, Encoding.ASCII.GetString(request));
        Assert.True(answer is "" or "(reset)", answer);
    }

    [Fact]
    public async Task A_client_that_leaves_ends_its_stream()
    {
        await using var server = await PipelineServer.StartAsync();
        var database = await server.CreateDatabaseAsync("db");
        var text = new string('x', 10_000);
        for (var i = 0; i < 2_000; i++)
            await database.PutAsync($"users/{i}", Encoding.ASCII.GetBytes($$"""{"Text":"{{text}}"}"""));
        using (var http = new HttpClient { BaseAddress = server.Url })
        {
            using var response = await http.GetAsync(
                "/databases/db/streams/docs",
                HttpCompletionOption.ResponseHeadersRead
            );
            Assert.NotEqual(0, await (await response.Content.ReadAsStreamAsync()).ReadAsync(new byte[1_000]));
            Assert.Contains(database.Storage.GetReaders(), r => r.Owner == "stream");
        }
        while (database.Storage.GetReaders().Any(r => r.Owner == "stream"))
            await Task.Yield();
    }

    [Theory]
    [InlineData(AnswerCompression.Always, true)]
    [InlineData(AnswerCompression.Remote, false)]
    [InlineData(AnswerCompression.Never, false)]
    public async Task Answers_are_compressed_for_those_who_are_told_to_be_worth_it(
        AnswerCompression compression,
        bool expected
    )
    {
        await using var server = await PipelineServer.StartAsync(new ServerOptions { Compression = compression });
        var database = await server.CreateDatabaseAsync("db");
        await database.PutAsync("a", Encoding.ASCII.GetBytes($$"""{"Text":"{{new string('x', 10_000)}}"}"""));
        using var http = new HttpClient { BaseAddress = server.Url };
        foreach (var path in (string[])["docs?id=a", "streams/docs"])
        {
            using var request = new HttpRequestMessage(HttpMethod.Get, "/databases/db/" + path)
            {
                Headers = { AcceptEncoding = { new StringWithQualityHeaderValue("gzip") } },
            };
            using var answer = await http.SendAsync(request);
            var bytes = await answer.Content.ReadAsByteArrayAsync();
            Assert.Equal((path, expected), (path, answer.Content.Headers.ContentEncoding.Contains("gzip")));
            Assert.Equal(expected, bytes.Length < 1_000);
        }
    }
}
