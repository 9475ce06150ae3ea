using System.Net;
using System.Text;
using System.Text.Json;
using Pipeline.Hosting;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary>The journey of one document through a running worker.</summary>
public sealed class JourneyEndpointTests : IDisposable
{
    private readonly TestFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Versions_messages_dead_letters_and_index_entries_of_a_document_are_shown()
    {
        var file = _folder.Write(
            "pipeline.yaml",
            """
            version: 1
            database: { name: shop, path: ./data, revisions: { default: { keep: 10 } } }
            server: { url: "http://127.0.0.1:0" }
            connections: { out: { files: { directory: ./out } } }
            indexes: [{ name: ByTotal, maps: ["from o in docs.Orders where o.Total > 1 select new { o.Total }"] }]
            etl:
              - { name: all, from: [Orders], to: out, transform: "send(\"orders\", doc);" }
              - { name: strict, from: [Orders], to: out, transform: "if (doc.Total == 2) throw new InvalidOperationException(\"two\");" }
              - { name: off, from: [Orders], to: out, disabled: true, transform: "send(\"off\", doc);" }
              - { name: people, from: [People], to: out, transform: "send(\"people\", doc);" }
            """
        );
        await using var worker = await PipelineWorker.OpenAsync(
            new WorkerOptions { ConfigurationFile = file, Listens = true }
        );
        using var stop = new CancellationTokenSource();
        var running = worker.RunAsync(stop.Token);
        await PutAsync(worker, 1);
        await PutAsync(worker, 2);
        Assert.True(await worker.DrainAsync("all"));
        Assert.True(await worker.DrainAsync("strict"));
        await worker.Database.Indexes.WaitAsync("ByTotal", worker.Database.LastPosition, TimeSpan.FromSeconds(60));
        using var http = new HttpClient { BaseAddress = worker.Address };
        var journey = JsonDocument.Parse(await http.GetStringAsync("/journey?id=orders/1")).RootElement;
        var versions = journey.GetProperty("versions").EnumerateArray().ToList();
        Assert.Equal([2, 1], versions.Select(v => v.GetProperty("document").GetProperty("Total").GetInt32()));
        Assert.Equal([true, false], versions.Select(v => v.GetProperty("isCurrent").GetBoolean()));
        var tasks = versions[0].GetProperty("tasks").EnumerateArray().ToList();
        Assert.Equal(["all", "strict", "off"], tasks.Select(t => t.GetProperty("name").GetString()));
        Assert.Equal(["sent", "deadLetter", "disabled"], tasks.Select(t => t.GetProperty("status").GetString()));
        var message = tasks[0].GetProperty("outcome").GetProperty("messages")[0].GetProperty("id").GetString();
        var lines = OpenFile.ReadLines(Directory.GetFiles(_folder["out"]).Single());
        Assert.Contains(lines, l => l.Contains($"\"{message}\"", StringComparison.Ordinal));
        var letter = Assert.Single(journey.GetProperty("deadLetters").EnumerateArray());
        Assert.Equal(tasks[1].GetProperty("letters")[0].GetString(), letter.GetProperty("id").GetString());
        var index = Assert.Single(journey.GetProperty("indexes").EnumerateArray());
        Assert.Equal("indexed", index.GetProperty("status").GetString());
        Assert.Equal(
            ["passed", "nothing"],
            versions[1].GetProperty("tasks").EnumerateArray().Take(2).Select(t => t.GetProperty("status").GetString())
        );
        using var missing = await http.GetAsync("/journey?id=orders/none");
        Assert.Equal(HttpStatusCode.BadRequest, missing.StatusCode);
        await stop.CancelAsync();
        await running;
    }

    private static async Task PutAsync(PipelineWorker worker, int total) =>
        await worker.Database.PutAsync(
            "orders/1",
            Encoding.UTF8.GetBytes($$$"""{"Total":{{{total}}},"@metadata":{"@collection":"Orders"}}""")
        );
}
