using System.Text.Json;
using Pipeline.Hosting;
using Pipeline.TestKit.Files;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary>An unreachable target makes the health degraded before any document is sent to it.</summary>
public sealed class ConnectionHealthTests
{
    [Fact]
    public async Task A_connection_that_takes_nothing_is_told_and_forgotten_when_it_does_again()
    {
        using var folder = new TestFolder();
        var file = folder.Write(
            "pipeline.yaml",
            """
            version: 1
            database: { name: shop, path: ./data }
            server: { url: "http://127.0.0.1:0" }
            connections:
              out: { files: { directory: ./out, create: false } }
              unused: { files: { directory: ./nowhere, create: false } }
            etl:
              - { name: t, from: [Orders], to: out, transform: 'send("orders", doc);' }
            """
        );
        Directory.CreateDirectory(folder["out"]);
        var time = new ManualTimeProvider();
        await using var worker = await PipelineWorker.OpenAsync(
            new WorkerOptions
            {
                ConfigurationFile = file,
                Listens = true,
                Time = time,
            }
        );
        using var client = new HttpClient { BaseAddress = worker.Address };
        Assert.Equal(("ready", true), await LookAsync());
        Directory.Delete(folder["out"]);
        Assert.Equal(("ready", true), await LookAsync());
        time.Advance(TimeSpan.FromSeconds(16));
        Assert.Equal(("degraded", false), await LookAsync());
        Directory.CreateDirectory(folder["out"]);
        time.Advance(TimeSpan.FromSeconds(16));
        Assert.Equal(("ready", true), await LookAsync());

        async Task<(string?, bool)> LookAsync()
        {
            var health = JsonDocument.Parse(await client.GetStringAsync("/health/ready")).RootElement;
            var connection = Assert.Single(
                health.GetProperty("checks").EnumerateArray(),
                c => c.GetProperty("name").GetString()!.StartsWith("connection ", StringComparison.Ordinal)
            );
            Assert.Equal("connection out", connection.GetProperty("name").GetString());
            return (health.GetProperty("status").GetString(), connection.GetProperty("ok").GetBoolean());
        }
    }
}
