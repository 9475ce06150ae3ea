using System.Text.Json;
using Pipeline.Hosting;
using Pipeline.TestKit.Files;
using Pipeline.Yaml;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary>The settings in effect, as a worker shows them.</summary>
public sealed class SettingsEndpointTests : IDisposable
{
    private readonly TestFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Settings_have_their_value_and_where_it_comes_from_but_no_secret()
    {
        var file = _folder.Write(
            "pipeline.yaml",
            """
            version: 1
            database: { name: shop, path: ./data }
            server: { url: "http://127.0.0.1:${PORT}" }
            connections:
              queue: { rabbitmq: { uri: "amqp://user:${PASSWORD}@127.0.0.1:1/" } }
            etl:
              - { name: all, from: [Things], to: queue, transform: "send(\"things\", doc);" }
            """
        );
        await using var worker = await PipelineWorker.OpenAsync(
            new WorkerOptions
            {
                ConfigurationFile = file,
                Listens = true,
                Variables = new FixedVariables(
                    new Dictionary<string, string> { ["PORT"] = "0", ["PASSWORD"] = "top-secret-word" }
                ),
            }
        );
        using var http = new HttpClient { BaseAddress = worker.Address };
        var text = await http.GetStringAsync("/settings");
        Assert.DoesNotContain("top-secret-word", text, StringComparison.Ordinal);
        var settings = JsonDocument
            .Parse(text)
            .RootElement.EnumerateArray()
            .ToDictionary(s => s.GetProperty("path").GetString()!);
        var url = settings["server.url"];
        Assert.Equal(
            ("http://127.0.0.1:0/", "file", 3, "http://127.0.0.1:${PORT}"),
            (
                url.GetProperty("value").GetString()!.TrimEnd('/') + "/",
                url.GetProperty("source").GetString(),
                url.GetProperty("line").GetInt32(),
                url.GetProperty("written").GetString()
            )
        );
        Assert.Equal("default", settings["database.compress"].GetProperty("source").GetString());
        Assert.Equal("all", settings["etl[0].name"].GetProperty("value").GetString());
        Assert.Contains("connections.queue.rabbitmq.uri", settings.Keys);
        Assert.DoesNotContain("etl[0].transform", settings.Keys);
    }
}
