using System.Net;
using System.Net.Http.Headers;
using System.Net.Http.Json;
using System.Net.WebSockets;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Pipeline.Client;
using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Hosting;
using Pipeline.TestKit.Time;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests.Hosting;

/// <summary><c>MapPipeline()</c>: the whole server below a path of an application.</summary>
public sealed partial class MapPipelineTests
{
    [Fact]
    public async Task Documents_queries_and_bulk_inserts_work_below_the_path()
    {
        using var folder = new HostFolder();
        await using var app = await StartAsync(folder);
        using var http = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };
        (
            await http.PutAsync(
                "/pipeline/databases/shop/docs?id=orders/1",
                JsonContent.Create(
                    new Dictionary<string, object>
                    {
                        ["Total"] = 7,
                        ["@metadata"] = new Dictionary<string, string> { ["@collection"] = "Orders" },
                    }
                )
            )
        ).EnsureSuccessStatusCode();
        (
            await http.PostAsync(
                "/pipeline/databases/shop/bulk_insert?id=1",
                new StringContent(
                    """[{"Id":"orders/2","Type":"PUT","Document":{"Total":8,"@metadata":{"@collection":"Orders"}}}]"""
                )
            )
        ).EnsureSuccessStatusCode();
        await using (var store = DocumentStore.Connect(app.Urls.First() + "/pipeline", "shop"))
        await using (var session = store.OpenSession())
        {
            Assert.Equal(
                [8m, 7m],
                (await session.Query<Order>().OrderByDescending(o => o.Total).ToListAsync()).Select(o => o.Total)
            );
        }

        var database = app.Services.GetRequiredService<DocumentDatabase>();
        using (var snapshot = database.OpenSnapshot())
            Assert.True(snapshot.TryGet("orders/2", out _));

        // Databases that clients make lie beneath the worker's folder, as behind its own port.
        (
            await http.PutAsync(
                "/pipeline/admin/databases?name=more",
                JsonContent.Create(new { DatabaseName = "more" })
            )
        ).EnsureSuccessStatusCode();
        (
            await http.PutAsync("/pipeline/databases/more/docs?id=a", JsonContent.Create(new { A = 1 }))
        ).EnsureSuccessStatusCode();
        Assert.True(Directory.Exists(folder["data/databases/more"]));
        Assert.Contains(
            $"\"Url\":\"{app.Urls.First()}/pipeline\"",
            await http.GetStringAsync("/pipeline/topology?name=shop"),
            StringComparison.Ordinal
        );
        Assert.Equal("own", await http.GetStringAsync("/own"));
        Assert.Equal(HttpStatusCode.NotFound, (await http.GetAsync("/pipelines")).StatusCode);
    }

    [Fact]
    public async Task Studio_health_metrics_and_tasks_are_there()
    {
        using var folder = new HostFolder();
        await using var app = await StartAsync(folder);
        using var http = new HttpClient(new SocketsHttpHandler { AllowAutoRedirect = false })
        {
            BaseAddress = new Uri(app.Urls.First()),
        };
        var moved = await http.GetAsync("/pipeline?x=1");
        Assert.Equal(
            (HttpStatusCode.RedirectKeepVerb, "/pipeline/?x=1"),
            (moved.StatusCode, moved.Headers.Location!.OriginalString)
        );
        var studio = await http.GetAsync("/pipeline/");
        Assert.Equal("text/html; charset=utf-8", studio.Content.Headers.ContentType!.ToString());
        Assert.Contains(
            "default-src 'self'",
            studio.Headers.GetValues("Content-Security-Policy").Single(),
            StringComparison.Ordinal
        );
        Assert.Contains("src=\"studio/", await studio.Content.ReadAsStringAsync(), StringComparison.Ordinal);
        Assert.Equal(
            "text/javascript; charset=utf-8",
            (await http.GetAsync("/pipeline/studio/app.js")).Content.Headers.ContentType!.ToString()
        );
        Assert.Contains("\"ready\"", await http.GetStringAsync("/pipeline/health/ready"), StringComparison.Ordinal);
        Assert.Contains("target_info{", await http.GetStringAsync("/pipeline/metrics"), StringComparison.Ordinal);
        Assert.Contains("orders", await http.GetStringAsync("/pipeline/etl/tasks"), StringComparison.Ordinal);
        Assert.Contains(
            "there is no endpoint /no%20thing%2Fhere/; Studio is at /.",
            await (await http.GetAsync("/pipeline/no%20thing%2Fhere/")).Content.ReadAsStringAsync(),
            StringComparison.Ordinal
        );
        Assert.Null(app.Services.GetRequiredService<PipelineWorker>().Address);
        var refused = await http.GetAsync("/pipeline/databases/shop/info/tcp");
        Assert.Equal(HttpStatusCode.NotImplemented, refused.StatusCode);
        Assert.Contains(
            "let the worker listen too",
            await refused.Content.ReadAsStringAsync(),
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task A_web_socket_tells_changes_and_the_stop_ends_it()
    {
        using var folder = new HostFolder();
        await using var app = await StartAsync(folder);
        using var socket = new ClientWebSocket();
        await socket.ConnectAsync(
            new Uri(
                app.Urls.First().Replace("http", "ws", StringComparison.Ordinal) + "/pipeline/databases/shop/changes"
            ),
            CancellationToken.None
        );
        await socket.SendAsync(
            """{"CommandId":1,"Command":"watch-docs"}"""u8.ToArray(),
            WebSocketMessageType.Text,
            true,
            CancellationToken.None
        );
        Assert.Contains("Confirm", await ReceiveAsync(socket), StringComparison.Ordinal);
        await app.Services.GetRequiredService<DocumentDatabase>().PutAsync("orders/9", "{}"u8.ToArray());
        Assert.Contains("orders/9", await ReceiveAsync(socket), StringComparison.Ordinal);

        // Without its end, the application's server would wait for the socket as long as a stop may take.
        var closed = ReceiveAsync(socket);
        await app.StopAsync().WaitAsync(TimeSpan.FromSeconds(25));
        Assert.Empty(await closed);
        Assert.Equal(WebSocketCloseStatus.EndpointUnavailable, socket.CloseStatus);
        Assert.Equal("the server stops", socket.CloseStatusDescription);
    }

    [Fact]
    public async Task A_stop_waits_for_the_requests_in_progress()
    {
        using var folder = new HostFolder();
        var time = new ManualTimeProvider();
        await using var app = await StartAsync(folder, time: time);
        using var http = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };
        var slow = http.GetAsync("/pipeline/admin/test/delay?value=4321");
        while (
            await time.NextTimerAsync().AsTask().WaitAsync(TimeSpan.FromSeconds(60)) != TimeSpan.FromMilliseconds(4321)
        )
        {
            // Another timer of the worker.
        }
        var stopped = app.StopAsync();
        Assert.False(stopped.IsCompleted);
        time.Advance(TimeSpan.FromMilliseconds(4321));
        Assert.Equal(HttpStatusCode.NoContent, (await slow).StatusCode);
        await stopped.WaitAsync(TimeSpan.FromSeconds(60));
    }

    [Fact]
    public async Task A_dump_that_is_refused_is_read_to_its_end_so_that_its_client_reads_why()
    {
        using var folder = new HostFolder();
        var unread = -1;
        await using var app = await StartAsync(
            folder,
            before: a =>
                a.Use(
                    async (context, next) =>
                    {
                        await next(context);
                        unread = await context.Request.Body.ReadAsync(new byte[1]);
                    }
                )
        );
        using var http = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };
        using var dump = new StringContent("{\"BuildVersion\":1,\"Docs\":[rubbish," + new string(' ', 2 << 20));
        var refused = await http.PostAsync("/pipeline/import?name=shop.ravendbdump", dump);
        Assert.Equal(HttpStatusCode.BadRequest, refused.StatusCode);
        Assert.Contains("shop.ravendbdump", await refused.Content.ReadAsStringAsync(), StringComparison.Ordinal);
        Assert.Equal(0, unread);
    }

    [Fact]
    public async Task A_large_body_arrives_and_limits_of_the_file_hold()
    {
        using var folder = new HostFolder(HostFolder.Yaml + "\nserver: { limits: { requestBytes: 40MiB } }\n");
        await using var app = await StartAsync(folder);
        using var http = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };

        // More than ASP.NET Core's own 30 MB.
        using var large = new StringContent($$"""{"Text":"{{new string('x', 35 << 20)}}"}""");
        Assert.Equal(
            HttpStatusCode.Created,
            (await http.PutAsync("/pipeline/databases/shop/docs?id=large", large)).StatusCode
        );
        using var tooLarge = new StringContent($$"""{"Text":"{{new string('x', 41 << 20)}}"}""");
        tooLarge.Headers.ContentType = new MediaTypeHeaderValue("application/json");
        using var request = new HttpRequestMessage(HttpMethod.Put, "/pipeline/databases/shop/docs?id=larger")
        {
            Content = tooLarge,
            Headers = { ExpectContinue = true },
        };
        Assert.Equal(HttpStatusCode.RequestEntityTooLarge, (await http.SendAsync(request)).StatusCode);
    }

    [Fact]
    public async Task A_worker_may_also_listen_and_subscriptions_over_TCP_are_told_to_go_there()
    {
        using var folder = new HostFolder(HostFolder.Yaml + "\nserver: { url: \"http://127.0.0.1:0\" }\n");
        var builder = folder.NewBuilder(("Pipeline:Listens", "true"));
        builder.Services.AddPipeline();
        await using var app = builder.Build();
        app.MapGroup("/admin").MapPipeline("/db/");
        await app.StartAsync();
        using var mapped = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };
        using var port = new HttpClient { BaseAddress = app.Services.GetRequiredService<PipelineWorker>().Address };
        (
            await mapped.PutAsync("/admin/db/databases/shop/docs?id=a", JsonContent.Create(new { A = 1 }))
        ).EnsureSuccessStatusCode();
        Assert.Contains("\"a\":1", await port.GetStringAsync("/databases/shop/docs?id=a"), StringComparison.Ordinal);
        Assert.Contains(
            "tcp://127.0.0.1:",
            await port.GetStringAsync("/databases/shop/info/tcp"),
            StringComparison.Ordinal
        );
        Assert.Contains(
            $"tcp://127.0.0.1:{port.BaseAddress!.Port}\"",
            await mapped.GetStringAsync("/admin/db/databases/shop/info/tcp"),
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task A_request_keeps_the_applications_own_view_of_it()
    {
        using var folder = new HostFolder();
        var builder = folder.NewBuilder();
        builder.Services.AddPipeline().AddScoped<Order>();
        await using var app = builder.Build();
        var seen = new List<(string, string?)>();
        app.Use(
            async (context, next) =>
            {
                var scoped = context.RequestServices.GetRequiredService<Order>();
                await next(context);
                Assert.Same(scoped, context.RequestServices.GetRequiredService<Order>());
                seen.Add((context.Request.PathBase + context.Request.Path, context.GetEndpoint()?.DisplayName));
            }
        );
        app.MapPipeline();
        await app.StartAsync();
        using var http = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };
        Assert.Equal(HttpStatusCode.OK, (await http.GetAsync("/pipeline/stats")).StatusCode);
        await app.StopAsync();
        Assert.Equal([("/pipeline/stats", "Pipeline /pipeline")], seen);
    }

    [Fact]
    public async Task A_path_without_a_worker_or_a_slash_is_refused()
    {
        using var folder = new HostFolder();
        var builder = folder.NewBuilder();
        builder.Services.AddKeyedPipeline("first");
        await using var app = builder.Build();
        Assert.Contains(
            "AddPipeline",
            Assert.Throws<InvalidOperationException>(() => app.MapPipeline()).Message,
            StringComparison.Ordinal
        );
        Assert.Contains(
            "'second'",
            Assert.Throws<InvalidOperationException>(() => app.MapPipeline(key: "second")).Message,
            StringComparison.Ordinal
        );
        Assert.Contains(
            "write '/db'",
            Assert.Throws<ArgumentException>(() => app.MapPipeline("db", key: "first")).Message,
            StringComparison.Ordinal
        );
        app.MapPipeline("/db", key: "first");
    }

    private static async Task<string> ReceiveAsync(ClientWebSocket socket)
    {
        var buffer = new byte[16 << 10];
        var got = await socket.ReceiveAsync(buffer, CancellationToken.None);
        return Encoding.UTF8.GetString(buffer, 0, got.Count);
    }

    /// <summary>An application with a worker at <c>/pipeline</c>, whose clients seem to come from an address.</summary>
    private static async Task<WebApplication> StartAsync(
        HostFolder folder,
        Action<IEndpointConventionBuilder>? secure = null,
        string? from = null,
        TimeProvider? time = null,
        Action<IApplicationBuilder>? before = null
    )
    {
        var builder = folder.NewBuilder();
        builder.Services.AddSingleton(time ?? TimeProvider.System);
        builder.Services.AddPipeline();
        builder
            .Services.AddAuthentication(HeaderAuthentication.Name)
            .AddScheme<Microsoft.AspNetCore.Authentication.AuthenticationSchemeOptions, HeaderAuthentication>(
                HeaderAuthentication.Name,
                null
            );
        builder.Services.AddAuthorization();
        var app = builder.Build();
        if (from is not null)
        {
            app.Use(
                (context, next) =>
                {
                    context.Connection.RemoteIpAddress = from == "none" ? null : IPAddress.Parse(from);
                    return next(context);
                }
            );
        }
        before?.Invoke(app);
        app.UseAuthentication().UseAuthorization();
        app.MapGet("/own", () => "own");
        var endpoint = app.MapPipeline();
        secure?.Invoke(endpoint);
        await app.StartAsync();
        return app;
    }
}
