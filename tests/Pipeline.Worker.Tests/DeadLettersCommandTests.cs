using System.Text;
using System.Text.Json;
using Pipeline.Hosting;
using Pipeline.TestKit.Files;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary><c>pipeline deadletters</c>, on a folder and at a running worker.</summary>
public sealed class DeadLettersCommandTests : IDisposable
{
    private readonly TestFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task LettersAreListedShownEditedRetriedAndDropped()
    {
        var file = _folder.Write(
            "pipeline.yaml",
            """
            version: 1
            database: { name: shop, path: ./data }
            connections: { out: { files: { directory: ./out } } }
            server: { url: "http://127.0.0.1:0" }
            etl:
              - name: t
                from: [Things]
                to: out
                transform: |
                  if (doc.N > 2) throw new Exception("too many: " + doc.N);
                  send("things", new { doc.N });
            """
        );
        _folder.Write("few.json", """{ "N": 1, "@metadata": { "@collection": "Things" } }""");
        var worker = await PipelineWorker.OpenAsync(new WorkerOptions { ConfigurationFile = file, Listens = true });
        await using (worker.ConfigureAwait(false))
        {
            for (var i = 0; i < 6; i++)
            {
                await worker.Database.PutAsync(
                    $"things/{i}",
                    Encoding.UTF8.GetBytes($$$"""{"N":{{{i}}},"@metadata":{"@collection":"Things"}}""")
                );
            }

            using var stop = new CancellationTokenSource();
            var running = worker.RunAsync(stop.Token);
            var url = worker.Address!.ToString();
            while (worker.GetTasks()[0].Position < 6)
                await Task.Delay(10);

            var list = await WorkerRun.InvokeAsync("deadletters", "list", "--url", url);
            Assert.Contains("3 dead letters", list.Out, StringComparison.Ordinal);
            Assert.Contains("too many: 3", list.Out, StringComparison.Ordinal);
            var shown = JsonDocument
                .Parse((await WorkerRun.InvokeAsync("deadletters", "show", "t/4", "--url", url)).Out)
                .RootElement;
            Assert.Equal("things/3", shown.GetProperty("DocumentId").GetString());
            var again = await WorkerRun.InvokeAsync("deadletters", "retry", "t/4", "--url", url);
            Assert.Contains("(things/3) failed again: too many: 3", again.Error, StringComparison.Ordinal);
            Assert.Equal(ExitCodes.Failed, again.ExitCode);
            Assert.Equal(
                "",
                (
                    await WorkerRun.InvokeAsync(
                        "deadletters",
                        "edit",
                        "t/4",
                        "--document",
                        _folder["few.json"],
                        "--url",
                        url
                    )
                ).Error
            );
            Assert.Contains(
                "1 tried: 1 done",
                (await WorkerRun.InvokeAsync("deadletters", "retry", "t/4", "--url", url)).Out,
                StringComparison.Ordinal
            );
            Assert.Contains(
                "1 dropped",
                (
                    await WorkerRun.InvokeAsync(
                        "deadletters",
                        "drop",
                        "--query",
                        "from DeadLetters where DocumentId = 'things/4'",
                        "--url",
                        url
                    )
                ).Out,
                StringComparison.Ordinal
            );
            Assert.Contains(
                "1 dead letter",
                (await WorkerRun.InvokeAsync("deadletters", "list", "--task", "t", "--url", url)).Out,
                StringComparison.Ordinal
            );
            Assert.Contains(
                "begin it with: from DeadLetters",
                (await WorkerRun.InvokeAsync("deadletters", "list", "--query", "from Things", "--url", url)).Error,
                StringComparison.Ordinal
            );
            await stop.CancelAsync();
            await running;
        }

        Assert.Contains(
            "there is no dead letter 't/99'",
            (await WorkerRun.InvokeAsync("deadletters", "retry", "t/99", "-c", file)).Error,
            StringComparison.Ordinal
        );
        Assert.Contains(
            "name the dead letters",
            (await WorkerRun.InvokeAsync("deadletters", "retry", "-c", file)).Error,
            StringComparison.Ordinal
        );
        _folder.Write("bad.json", "{");
        Assert.Contains(
            "there is no dead letter 'none/1'",
            (
                await WorkerRun.InvokeAsync(
                    "deadletters",
                    "edit",
                    "none/1",
                    "--document",
                    _folder["bad.json"],
                    "-c",
                    file
                )
            ).Error,
            StringComparison.Ordinal
        );
        Assert.Equal(
            $"1 marked; it is tried at the worker's next start{Environment.NewLine}",
            (await WorkerRun.InvokeAsync("deadletters", "retry", "--all", "-c", file)).Out
        );
        Assert.Contains(
            "script (retry)",
            (await WorkerRun.InvokeAsync("deadletters", "list", "-c", file)).Out,
            StringComparison.Ordinal
        );
        Assert.Equal(4, File.ReadAllLines(Path.Combine(_folder["out"], "things.jsonl")).Length);
    }
}
