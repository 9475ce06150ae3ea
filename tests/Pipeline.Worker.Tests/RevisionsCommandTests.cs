using System.Text;
using System.Text.Json;
using Pipeline.Hosting;
using Pipeline.TestKit.Files;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary>Versions of documents as a user sees them: in YAML and at the terminal.</summary>
public sealed class RevisionsCommandTests : IDisposable
{
    private readonly TestFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task VersionsAreListedFromTheFolderAndFromAWorker()
    {
        var file = _folder.Write(
            "pipeline.yaml",
            """
            version: 1
            database: { name: shop, path: ./data, revisions: { default: { keep: 2 }, collections: { Orders: { keep: 10, age: 30d, purgeOnDelete: true }, Off: { enabled: false } } } }
            server: { url: 'http://127.0.0.1:0' }
            """
        );
        await using (
            var worker = await PipelineWorker.OpenAsync(new WorkerOptions { ConfigurationFile = file, Listens = true })
        )
        {
            for (var n = 1; n <= 5; n++)
            {
                foreach (var collection in (string[])["Orders", "Others", "Off"])
                {
                    await worker.Database!.PutAsync(
                        collection + "/1",
                        Encoding.UTF8.GetBytes($$$"""{"N":{{{n}}},"@metadata":{"@collection":"{{{collection}}}"}}""")
                    );
                }
            }

            var asked = await WorkerRun.InvokeAsync(
                "revisions",
                "orders/1",
                "--json",
                "--start",
                "1",
                "--count",
                "2",
                "--url",
                worker.Address!.ToString()
            );
            Assert.Equal(("", ExitCodes.Success), (asked.Error, asked.ExitCode));
            var page = JsonDocument.Parse(asked.Out).RootElement;
            Assert.Equal(5, page.GetProperty("total").GetInt32());
            Assert.Equal(
                [4, 3],
                page.GetProperty("results")
                    .EnumerateArray()
                    .Select(r => r.GetProperty("document").GetProperty("N").GetInt32())
            );
            var stats = await WorkerRun.InvokeAsync("stats", "--json", "--url", worker.Address!.ToString());
            Assert.Equal(5, JsonDocument.Parse(stats.Out).RootElement.GetProperty("revisions").GetInt32());
            await worker.Database!.DeleteAsync("others/1");
        }

        var data = _folder["data"];
        var table = await WorkerRun.InvokeAsync("revisions", "others/1", "--data", data);
        Assert.Equal(("", ExitCodes.Success), (table.Error, table.ExitCode));
        Assert.Contains("│ deleted ", table.Out, StringComparison.Ordinal);
        Assert.Contains("""│ {"N":5} """, table.Out, StringComparison.Ordinal);
        Assert.DoesNotContain("""{"N":4}""", table.Out, StringComparison.Ordinal);
        Assert.EndsWith($"2 of 2 versions{Environment.NewLine}", table.Out, StringComparison.Ordinal);
        Assert.Contains(
            "1 of 1 version",
            (await WorkerRun.InvokeAsync("revisions", "OFF/1", "--data", data)).Out,
            StringComparison.Ordinal
        );
        var missing = await WorkerRun.InvokeAsync("revisions", "orders/7", "--data", data);
        Assert.Equal(
            (ExitCodes.Failed, $"pipeline: there is no document 'orders/7', and no version of it{Environment.NewLine}"),
            (missing.ExitCode, missing.Error)
        );
        Assert.Equal(
            ExitCodes.Usage,
            (await WorkerRun.InvokeAsync("revisions", "orders/1", "--count", "0", "--data", data)).ExitCode
        );

        // Without the configuration the database keeps its last settings.
        await WorkerRun.InvokeAsync(
            "import",
            _folder.Write("more.jsonl", """{"N":6,"@metadata":{"@id":"orders/1","@collection":"Orders"}}"""),
            "--data",
            data
        );
        Assert.Contains(
            "6 of 6 versions",
            (await WorkerRun.InvokeAsync("revisions", "orders/1", "--data", data)).Out,
            StringComparison.Ordinal
        );
    }

    [Theory]
    [InlineData("{ default: { keep: 0 } }", "keep")]
    [InlineData("{ default: { age: 0s } }", "age")]
    [InlineData(
        "{ collections: { Orders: { keeps: 3 } } }",
        "unknown key 'keeps' in database.revisions.collections.Orders; did you mean 'keep'?"
    )]
    [InlineData(
        "{ collections: { Orders: {}, orders: { keep: 3 } } }",
        "the collection 'orders' is defined twice, first in line 2; collection names ignore case"
    )]
    [InlineData("{ keep: 3 }", "unknown key 'keep' in database.revisions")]
    public async Task FaultsAreFoundByLint(string block, string message)
    {
        var file = _folder.Write(
            "broken.yaml",
            $"version: 1\ndatabase: {{ name: shop, path: ./data, revisions: {block} }}\n"
        );
        var run = await WorkerRun.InvokeAsync("lint", file);
        Assert.Equal(ExitCodes.Usage, run.ExitCode);
        Assert.Contains(message, run.Error + run.Out, StringComparison.Ordinal);
    }
}
