using System.Net;
using System.Text.Json;
using Pipeline.Hosting;
using Pipeline.Subscriptions;
using Pipeline.TestKit.Files;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary>How a running worker reports slow subscriptions: health, metrics, tables, events.</summary>
public sealed class SlowSubscriptionEndpointTests : IAsyncLifetime, IDisposable
{
    private readonly TestFolder _folder = new();
    private PipelineWorker _worker = null!;
    private HttpClient _client = null!;

    public async Task InitializeAsync()
    {
        var file = _folder.Write(
            "pipeline.yaml",
            """
            version: 1
            database: { name: shop, path: ./data }
            server: { url: "http://127.0.0.1:0" }
            health: { lagPercent: 50 }
            subscriptions:
              - { name: slow, deletes: true, maxLag: { age: 7d, changes: 4 }, then: pause-and-resync }
            """
        );
        _worker = await PipelineWorker.OpenAsync(new WorkerOptions { ConfigurationFile = file, Listens = true });
        _client = new HttpClient { BaseAddress = _worker.Address };
    }

    public Task DisposeAsync() => _worker.DisposeAsync().AsTask();

    public void Dispose()
    {
        _client.Dispose();
        _folder.Dispose();
    }

    [Fact]
    public async Task HealthIsDegradedWithNameAndLagLongBeforeTheLimit()
    {
        Assert.Equal(("ready", "consumers", true), await HealthAsync());
        await PutAsync(2);
        var response = await _client.GetAsync("/health/ready");
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        var (status, name, ok) = await HealthAsync();
        Assert.Equal(("degraded", "consumer subscription/slow", false), (status, name, ok));
        var body = await response.Content.ReadAsStringAsync();
        Assert.Contains("2 changes wait, 4 are allowed (position 0, 2 changes and", body, StringComparison.Ordinal);

        var metrics = await _client.GetStringAsync("/metrics");
        Assert.Matches("pipeline_consumer_pending_changes\\{[^}]*subscription/slow[^}]*\\} 2\n", metrics);
        Assert.Matches("pipeline_subscription_rate[^{]*\\{[^}]*slow[^}]*\\} 0\n", metrics);
        var stats = await WorkerRun.InvokeAsync("stats", "--url", _worker.Address!.ToString());
        Assert.Contains("subscription/slow: position 0, 2 changes", stats.Out, StringComparison.Ordinal);
        var table = await WorkerRun.InvokeAsync("subscriptions", "--url", _worker.Address!.ToString());
        Assert.Contains("slow: 2 changes wait, 4 are allowed", table.Out, StringComparison.Ordinal);
        var json = JsonDocument
            .Parse((await WorkerRun.InvokeAsync("subscriptions", "--json", "--url", _worker.Address!.ToString())).Out)
            .RootElement[0];
        Assert.Equal(
            ("Warning", 2, "pause-and-resync"),
            (
                json.GetProperty("lagState").GetString(),
                json.GetProperty("consumer").GetProperty("pending").GetProperty("changes").GetInt32(),
                json.GetProperty("maxLag").GetProperty("then").GetString()
            )
        );
    }

    [Fact]
    public async Task EventsAreFollowedAsJsonLines()
    {
        using var response = await _client.GetAsync(
            "/subscriptions/events?name=SLOW",
            HttpCompletionOption.ResponseHeadersRead
        );
        using var lines = new StreamReader(await response.Content.ReadAsStreamAsync());
        using var stop = new CancellationTokenSource();
        var following = WorkerRun.InvokeAsync(
            ["subscriptions", "--follow", "--url", _worker.Address!.ToString()],
            stop.Token
        );
        await PutAsync(5);
        await _worker.Subscriptions.CheckLagAsync();
        var first = JsonDocument.Parse((await lines.ReadLineAsync())!).RootElement;
        Assert.Equal(
            ("LagChanged", "slow", 5),
            (
                first.GetProperty("kind").GetString(),
                first.GetProperty("subscription").GetString(),
                first.GetProperty("count").GetInt32()
            )
        );
        Assert.Equal(
            "Paused",
            JsonDocument.Parse((await lines.ReadLineAsync())!).RootElement.GetProperty("kind").GetString()
        );
        Assert.Equal(
            "awaits resync",
            JsonDocument
                .Parse(await _client.GetStringAsync("/subscriptions"))
                .RootElement[0]
                .GetProperty("state")
                .GetString()
        );
        await stop.CancelAsync();
        await following;
        var wrong = await WorkerRun.InvokeAsync("subscriptions", "--follow", "--config", _folder["pipeline.yaml"]);
        Assert.Equal(ExitCodes.Usage, wrong.ExitCode);
    }

    private async Task<(string Status, string Name, bool Ok)> HealthAsync()
    {
        var root = JsonDocument.Parse(await _client.GetStringAsync("/health/ready")).RootElement;
        var check = root.GetProperty("checks")
            .EnumerateArray()
            .Single(c => c.GetProperty("name").GetString()!.StartsWith("consumer", StringComparison.Ordinal));
        return (
            root.GetProperty("status").GetString()!,
            check.GetProperty("name").GetString()!,
            check.GetProperty("ok").GetBoolean()
        );
    }

    private async Task PutAsync(int count)
    {
        for (var i = 0; i < count; i++)
            await _worker.Database.PutAsync($"things/{i}", """{"@metadata":{"@collection":"Things"}}"""u8.ToArray());
    }
}
