using System.Net;
using System.Net.Sockets;
using System.Text.Json;
using Pipeline.Database;
using Pipeline.Hosting;
using Pipeline.Hosting.Metrics;
using Pipeline.Server.Hosting;
using Pipeline.Server.Settings;
using Pipeline.TestKit.Files;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests;

public sealed class WorkerServerTests
{
    private static readonly ServerOptions FreePort = new() { Url = new Uri("http://127.0.0.1:0") };

    [Fact]
    public async Task LiveReadyAndMetricsAnswer()
    {
        var checks = new List<ReadinessCheck> { new("storage", true, "open at position 7") };
        using var metrics = new MetricCollector(MetricCollector.IsOurs);
        await using var server = await WorkerServer.StartAsync(
            FreePort,
            _ => new(ReadinessReport.Of(checks)),
            metrics,
            null,
            "",
            default
        );
        using var client = new HttpClient { BaseAddress = server.Address };

        Assert.NotEqual(0, server.Address.Port);
        using (var live = await client.GetAsync("/health/live"))
        {
            Assert.Equal(HttpStatusCode.OK, live.StatusCode);
            Assert.Equal(
                "live",
                JsonDocument.Parse(await live.Content.ReadAsStringAsync()).RootElement.GetProperty("status").GetString()
            );
        }
        using (var ready = await client.GetAsync("/health/ready"))
        {
            Assert.Equal(HttpStatusCode.OK, ready.StatusCode);
            var body = JsonDocument.Parse(await ready.Content.ReadAsStringAsync()).RootElement;
            Assert.Equal("ready", body.GetProperty("status").GetString());
            Assert.Equal("open at position 7", body.GetProperty("checks")[0].GetProperty("detail").GetString());
        }
        checks.Add(new("task big-orders", false, "failed: no"));
        using (var unready = await client.GetAsync("/health/ready"))
        {
            Assert.Equal(HttpStatusCode.ServiceUnavailable, unready.StatusCode);
            var body = JsonDocument.Parse(await unready.Content.ReadAsStringAsync()).RootElement;
            Assert.Equal("unready", body.GetProperty("status").GetString());
            Assert.False(body.GetProperty("checks")[1].GetProperty("ok").GetBoolean());
        }
        using (var text = await client.GetAsync("/metrics"))
        {
            Assert.Equal("text/plain; version=0.0.4; charset=utf-8", text.Content.Headers.ContentType!.ToString());
            Assert.Contains("target_info{process_creation_time=\"2", await text.Content.ReadAsStringAsync());
        }
        using (var none = await client.GetAsync("/else"))
        {
            Assert.Equal(HttpStatusCode.NotFound, none.StatusCode);
            Assert.Contains("there is no endpoint /else", await none.Content.ReadAsStringAsync());
        }
    }

    [Fact]
    public async Task AnAddressInUseIsNamedWithASuggestion()
    {
        using var other = new TcpListener(IPAddress.Loopback, 0);
        other.Start();
        var url = new Uri($"http://127.0.0.1:{((IPEndPoint)other.LocalEndpoint).Port}");
        using var metrics = new MetricCollector(MetricCollector.IsOurs);

        var error = await Assert.ThrowsAsync<AddressInUseException>(() =>
            WorkerServer.StartAsync(
                new ServerOptions { Url = url },
                _ => new(ReadinessReport.Of([])),
                metrics,
                null,
                "",
                default
            )
        );

        Assert.Equal(
            $"{url.GetLeftPart(UriPartial.Authority)} is in use by another process; "
                + "set server.url to a free port in the configuration (port 0 takes any)",
            error.Message
        );
        Assert.Equal(ExitCodes.Usage, error.ExitCode);
    }

    [Fact]
    public async Task APortInUseIsNoticedBeforeAnythingIsImported()
    {
        using var folder = new TestFolder();
        using var other = new TcpListener(IPAddress.Loopback, 0);
        other.Start();
        folder.Write("a.jsonl", """{"@metadata":{"@id":"a/1","@collection":"A"}}""");
        var file = folder.Write(
            "pipeline.yaml",
            $$"""
            version: 1
            database: { name: a, path: ./data }
            server: { url: "http://127.0.0.1:{{((IPEndPoint)other.LocalEndpoint).Port}}" }
            import: [a.jsonl]
            """
        );

        await Assert.ThrowsAsync<AddressInUseException>(() =>
            PipelineWorker.OpenAsync(new WorkerOptions { ConfigurationFile = file, Listens = true })
        );

        await using var database = DocumentDatabase.Open(new DatabaseOptions { Path = folder["data"] });
        Assert.Equal(0, database.LastPosition);
    }

    [Fact]
    public async Task AnOpenWorkerAnswersAndIsReady()
    {
        using var folder = new TestFolder();
        var file = folder.Write(
            "pipeline.yaml",
            "version: 1\ndatabase: { name: a, path: ./data }\nserver: { url: \"http://127.0.0.1:0\" }\n"
        );
        await using var worker = await PipelineWorker.OpenAsync(
            new WorkerOptions { ConfigurationFile = file, Listens = true }
        );
        using var client = new HttpClient { BaseAddress = worker.Address };

        using var ready = await client.GetAsync("/health/ready");

        Assert.Equal(HttpStatusCode.OK, ready.StatusCode);
    }

    [Theory]
    [InlineData(true, ExitCodes.Success, "\"ready\"")]
    [InlineData(false, ExitCodes.Failed, "\"unready\"")]
    public async Task TheHealthCommandAsksIt(bool ok, int exitCode, string said)
    {
        using var metrics = new MetricCollector(MetricCollector.IsOurs);
        await using var server = await WorkerServer.StartAsync(
            FreePort,
            _ => new(ReadinessReport.Of([new("storage", ok, "x")])),
            metrics,
            null,
            "",
            default
        );

        var run = await WorkerRun.InvokeAsync("health", "--url", server.Address.ToString());

        Assert.Equal(exitCode, run.ExitCode);
        Assert.Contains(said, run.Out);
    }

    [Fact]
    public async Task TheHealthCommandSaysThatNobodyAnswers()
    {
        using var free = new TcpListener(IPAddress.Loopback, 0);
        free.Start();
        var url = $"http://127.0.0.1:{((IPEndPoint)free.LocalEndpoint).Port}";
        free.Stop();

        var run = await WorkerRun.InvokeAsync("health", "--url", url);

        var refused = new SocketException((int)SocketError.ConnectionRefused).Message.TrimEnd('.');
        Assert.Equal(
            $"pipeline: no worker answers at {url}: {refused}; is 'pipeline run' running there?{Environment.NewLine}",
            run.Error
        );
        Assert.Equal(ExitCodes.Failed, run.ExitCode);
    }
}
