using System.Text;
using System.Text.Json;
using Pipeline.Hosting;
using Pipeline.Hosting.Metrics;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary>The hour of figures that a worker keeps.</summary>
public sealed class WorkerHistoryTests : IDisposable
{
    private readonly TestFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Writes_and_messages_of_the_last_hour_are_kept()
    {
        var file = _folder.Write(
            "pipeline.yaml",
            """
            version: 1
            database: { name: shop, path: ./data }
            server: { url: "http://127.0.0.1:0" }
            connections: { out: { files: { directory: ./out } } }
            etl: [{ name: all, from: [Things], to: out, transform: "send(\"things\", doc);" }]
            """
        );
        await using var worker = await PipelineWorker.OpenAsync(
            new WorkerOptions { ConfigurationFile = file, Listens = true }
        );
        using var stop = new CancellationTokenSource();
        var running = worker.RunAsync(stop.Token);
        for (var i = 0; i < 50; i++)
        {
            await worker.Database.PutAsync(
                $"things/{i}",
                Encoding.UTF8.GetBytes("{\"@metadata\":{\"@collection\":\"Things\"}}")
            );
        }

        Assert.True(await worker.DrainAsync("all"));
        using var http = new HttpClient { BaseAddress = worker.Address };
        JsonElement series;
        do
        {
            // The next values come within two seconds.
            series = JsonDocument.Parse(await http.GetStringAsync("/history")).RootElement.GetProperty("series");
        } while (Sum(series, "messages") == 0 || Sum(series, "changes") == 0 || Lag(series) > 0);

        Assert.InRange(Sum(series, "task/all/messages"), 1, 49);
        Assert.True(series.GetProperty("memory").EnumerateArray().Last().GetDouble() > 1e6);
        await stop.CancelAsync();
        await running;
    }

    private static double Lag(JsonElement series) =>
        series.GetProperty("task/all/lag").EnumerateArray().Last().GetDouble();

    [Fact]
    public void A_ring_keeps_the_last_values_and_joins_them()
    {
        var ring = new HistoryRing(4, 2);
        for (var i = 1; i <= 6; i++)
        {
            var values = new Dictionary<string, double> { ["a"] = i };
            if (i > 4)
                values["b"] = 10 * i;
            values["left out"] = 0;
            if (i <= 4)
                values.Remove("left out");
            ring.Add(DateTimeOffset.UnixEpoch.AddSeconds(i), values);
        }

        var (last, perPoint, series) = ring.Read(10, 10, _ => false);
        Assert.Equal((6, 1), ((int)last.ToUnixTimeSeconds(), perPoint));
        Assert.Equal([3, 4, 5, 6], series["a"]);
        Assert.Equal([null, null, 50, 60], series["b"]);
        Assert.Equal(["a", "b"], series.Keys.Order());
        Assert.Equal([3.5f, 5.5f], ring.Read(4, 2, _ => false).Series["a"]);
        Assert.Equal([4, 6], ring.Read(4, 2, _ => true).Series["a"]);
    }

    [Fact]
    public void A_percentile_lies_within_its_bucket()
    {
        Assert.Null(WorkerHistory.Percentile([1, 2], [0, 0, 0], 0.5));
        Assert.Equal(1.5, WorkerHistory.Percentile([1, 2], [0, 10, 0], 0.5));
        Assert.Equal(2, WorkerHistory.Percentile([1, 2], [0, 0, 10], 0.5));
    }

    private static double Sum(JsonElement series, string name) =>
        series.TryGetProperty(name, out var points)
            ? points.EnumerateArray().Sum(p => p.ValueKind == JsonValueKind.Number ? p.GetDouble() : 0)
            : 0;
}
