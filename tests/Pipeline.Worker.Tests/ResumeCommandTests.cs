using System.Text;
using System.Text.Json;
using Pipeline.Hosting;
using Pipeline.TestKit.Files;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary><c>pipeline etl resume</c> and how a worker shows blocked tasks.</summary>
public sealed class ResumeCommandTests : IDisposable
{
    private readonly TestFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_blocked_task_is_shown_everywhere_and_resumed_by_command(bool running)
    {
        var file = _folder.Write(
            "pipeline.yaml",
            """
            version: 1
            database: { name: shop, path: ./data }
            connections: { out: { files: { directory: ./out } } }
            server: { url: 'http://127.0.0.1:0' }
            etl:
              - { name: t, from: [Things], to: out, transform: 'send("things", doc.N);' }

            """
        );
        await RunAsync(file, 1, 5);
        TestFolder.Copy(_folder["data"], _folder["copy"]);
        await RunAsync(file, 6, 5);
        TestFolder.Copy(_folder["copy"], _folder["data"]);

        var once = await WorkerRun.InvokeAsync("run", "--once", "-c", file);
        Assert.Equal(ExitCodes.Failed, once.ExitCode);
        Assert.Contains("an older copy was put back", once.Out + once.Error, StringComparison.Ordinal);
        Assert.Contains(
            "is not a place to continue from",
            (await WorkerRun.InvokeAsync("etl", "resume", "t", "--from", "here", "-c", file)).Error,
            StringComparison.Ordinal
        );
        if (!running)
        {
            Assert.Equal(
                "'t' continues after position 5 of 5 at the worker's next start",
                (await WorkerRun.InvokeAsync("etl", "resume", "t", "--from", "lineage", "-c", file)).Out.Trim()
            );
            Assert.Contains(
                "is not blocked",
                (await WorkerRun.InvokeAsync("etl", "resume", "t", "--from", "lineage", "-c", file)).Error,
                StringComparison.Ordinal
            );
            await RunAsync(file, 11, 5);
        }
        else
        {
            await using var worker = await OpenAsync(file);
            await PutAsync(worker, 11, 5);
            using var stop = new CancellationTokenSource();
            var work = worker.RunAsync(stop.Token);
            using var http = new HttpClient { BaseAddress = worker.Address };
            var task = await TaskAsync(http, "blocked");
            Assert.Contains("pipeline etl resume t", task.GetProperty("problem").GetString(), StringComparison.Ordinal);
            Assert.Equal(5, task.GetProperty("conflict").GetProperty("position").GetInt64());
            using (var ready = await http.GetAsync("/health/ready"))
            {
                Assert.Contains(
                    "waits for a decision",
                    await ready.Content.ReadAsStringAsync(),
                    StringComparison.Ordinal
                );
            }

            var url = worker.Address!.ToString();
            Assert.Equal(
                "'t' continues after position 5 of 10",
                (await WorkerRun.InvokeAsync("etl", "resume", "t", "--from", "lineage", "--url", url)).Out.Trim()
            );
            Assert.False(
                (await TaskAsync(http, "idle")).TryGetProperty("conflict", out var conflict)
                    && conflict.ValueKind != JsonValueKind.Null
            );
            await stop.CancelAsync();
            await work;
        }
        Assert.Equal(
            15,
            File.ReadLines(_folder["out/things.jsonl"])
                .Select(l => JsonDocument.Parse(l).RootElement.GetProperty("id").GetString())
                .Distinct()
                .Count()
        );
    }

    private static async Task<JsonElement> TaskAsync(HttpClient http, string state)
    {
        using var timeout = new CancellationTokenSource(TimeSpan.FromSeconds(60));
        while (true)
        {
            var task = JsonDocument.Parse(await http.GetStringAsync("/etl/tasks", timeout.Token)).RootElement[0];
            if (task.GetProperty("state").GetString() == state)
                return task;
        }
    }

    private static async Task RunAsync(string file, int from, int count)
    {
        await using (var filled = await OpenAsync(file))
            await PutAsync(filled, from, count);

        // A run ends at the position that it finds when it opens the database.
        await using var worker = await OpenAsync(file);
        await worker.RunOnceAsync();
    }

    private static Task PutAsync(PipelineWorker worker, int from, int count) =>
        worker.Database.WriteAsync(t =>
        {
            for (var n = from; n < from + count; n++)
                t.Put($"things/{n}", Encoding.UTF8.GetBytes($$"""{"N":{{n}},"@metadata":{"@collection":"Things"} }"""));
        });

    private static Task<PipelineWorker> OpenAsync(string file) =>
        PipelineWorker.OpenAsync(new WorkerOptions { ConfigurationFile = file, Listens = true });
}
