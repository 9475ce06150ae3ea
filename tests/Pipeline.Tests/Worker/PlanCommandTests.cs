using System.Text;
using System.Text.Json;
using Pipeline.Etl.Planning;
using Pipeline.Worker;
using Pipeline.Worker.Hosting;
using Xunit;

namespace Pipeline.Tests.Worker;

/// <summary><c>pipeline plan</c> and <c>pipeline apply</c>, and a file that is watched.</summary>
public sealed class PlanCommandTests : IDisposable
{
    private readonly TestFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task AFolderAndARunningWorkerSayWhatAFileWouldChangeAndTheWorkerTakesItOver()
    {
        var file = Write("send(\"things\", new { doc.N });", gone: true);
        using (var filled = await OpenAsync(file))
        {
            for (var i = 0; i < 4; i++)
                await filled.Worker.Database.PutAsync($"things/{i}", Encoding.UTF8.GetBytes($$$"""{"N":{{{i}}},"@metadata":{"@collection":"Things"}}"""));
        }

        using (var filled = await OpenAsync(file))
        {
            await filled.Worker.RunOnceAsync();
            await filled.Worker.Database.PutAsync("things/9", "{\"N\":9,\"@metadata\":{\"@collection\":\"Things\"}}"u8.ToArray());
        }

        var same = await WorkerRun.InvokeAsync("plan", "-c", file);
        Assert.Equal("", same.Error);
        Assert.Contains("  task t: unchanged", same.Out, StringComparison.Ordinal);
        Write("send(\"things\", new { N = doc.N > 1 ? doc.N : -1 }); // v2", gone: false, more: "  - { name: new, from: [Things], to: out, transform: 'send(\"new\", id);' }\n", index: true);
        var folder = (await WorkerRun.InvokeAsync("plan", "-c", file)).Out;
        foreach (var text in new[]
        {
            "~ task t: keeps position 4", "transform: changed", "tried on 5 documents: 2 give other messages than before", "-     \"N\": 0", "+     \"N\": -1", "+ task new: begins at the beginning; about 5 changes wait",
            "- task gone: stops; position 4 stays known", "apply --keep keeps it", "+ index Things/ByN: added", "4 to change",
        })
            Assert.True(folder.Contains(text, StringComparison.Ordinal), $"no '{text}' in:\n{folder}");

        Write("send(\"things\", new { doc.N });", gone: true);
        using var running = await OpenAsync(file);
        using var stop = new CancellationTokenSource();
        var work = running.Worker.RunAsync(stop.Token);
        var url = running.Worker.Address!.ToString();
        Assert.Contains("nothing to change", (await WorkerRun.InvokeAsync("plan", "--url", url)).Out, StringComparison.Ordinal);
        Write("send(\"things\", new { N = -doc.N });", gone: false, index: true);
        Assert.Contains("~ task t", (await WorkerRun.InvokeAsync("plan", "--url", url)).Out, StringComparison.Ordinal);
        var applied = await WorkerRun.InvokeAsync("apply", "--url", url);
        Assert.Contains("- task gone: stopped", applied.Out, StringComparison.Ordinal);
        Assert.Equal(["t"], running.Worker.GetTasks().Select(t => t.Name));
        Assert.DoesNotContain(running.Worker.Database.Consumers.List(), c => c.Name == "etl/gone");
        Assert.Contains(running.Worker.Database.Indexes.List(), i => i.Name == "Things/ByN");
        Assert.Contains("nothing to change", (await WorkerRun.InvokeAsync("plan", "--url", url)).Out, StringComparison.Ordinal);

        Write("send(things, doc.N);", gone: false);
        var broken = await WorkerRun.InvokeAsync("apply", "--url", url);
        Assert.Contains("the configuration has faults; nothing was changed", broken.Error, StringComparison.Ordinal);
        Assert.Contains("'things' does not exist", broken.Error, StringComparison.Ordinal);
        Assert.Equal(["t"], running.Worker.GetTasks().Select(t => t.Name));

        var top = await WorkerRun.InvokeAsync("top", "--url", url);
        Assert.Contains("docs/s", top.Out, StringComparison.Ordinal);
        Assert.Equal("files", JsonDocument.Parse((await WorkerRun.InvokeAsync("top", "--json", "--url", url)).Out).RootElement[0].GetProperty("kind").GetString());
        await stop.CancelAsync();
        await work;
    }

    [Fact]
    public async Task AWatchedFileIsAppliedWhenItHasSettledAndABrokenOneChangesNothing()
    {
        var file = Write("send(\"things\", doc.N);", gone: true);
        var applied = new List<string>();
        var watch = new ConfigurationWatch(file, TimeProvider.System, Microsoft.Extensions.Logging.Abstractions.NullLogger.Instance, async ct =>
        {
            await Task.Yield();
            applied.Add(await File.ReadAllTextAsync(file, ct));
            if (applied[^1].Contains("broken", StringComparison.Ordinal))
                throw new Pipeline.Etl.Configuration.ConfigurationException([]);
        });
        await LookAsync(watch, 3);
        Assert.Empty(applied);
        Write("send(\"things\", 2);", gone: true);
        await LookAsync(watch, 1);
        Assert.Empty(applied);
        await LookAsync(watch, 3);
        Assert.Single(applied);
        await File.WriteAllTextAsync(file, "broken");
        await LookAsync(watch, 5);
        Assert.Equal(2, applied.Count);
        File.Delete(file);
        await LookAsync(watch, 3);
        Write("send(\"things\", 3);", gone: true);
        await LookAsync(watch, 3);
        Assert.Equal(3, applied.Count);
    }

    [Fact]
    public async Task ABoostOfAnIndexIsAChangeThatBuildsNothing()
    {
        string Write(string boost) => _folder.Write("pipeline.yaml", $$"""
            version: 1
            database: { name: shop, path: ./data }
            indexes: [{ name: Things/ByN, maps: ['from t in docs.Things select new { t.N }'], fields: { N: { boost: {{boost}} } } }]
            """);
        var file = Write("1.5");
        (await OpenAsync(file)).Dispose();
        Assert.Contains("nothing to change", (await WorkerRun.InvokeAsync("plan", "-c", file)).Out, StringComparison.Ordinal);
        Write("2");
        Assert.Contains("~ index Things/ByN: changed, holds at once", (await WorkerRun.InvokeAsync("plan", "-c", file)).Out, StringComparison.Ordinal);
    }

    private static async Task LookAsync(ConfigurationWatch watch, int times)
    {
        for (var i = 0; i < times; i++)
            await watch.LookAsync(CancellationToken.None);
    }

    private string Write(string transform, bool gone, string more = "", bool index = false) => _folder.Write("pipeline.yaml", $"""
        version: 1
        database: {"{"} name: shop, path: ./data {"}"}
        connections: {"{"} out: {"{"} files: {"{"} directory: ./out {"}"} {"}"} {"}"}
        server: {"{"} url: "http://127.0.0.1:0" {"}"}
        {(index ? "indexes: [{ name: Things/ByN, maps: ['from t in docs.Things select new { t.N }'] }]" : "")}
        etl:
          - name: t
            from: [Things]
            to: out
            transform: |
              {transform}
        {(gone ? "  - { name: gone, from: [Things], to: out, transform: 'send(\"gone\", id);' }\n" : "")}{more}
        """);

    private static async Task<Opened> OpenAsync(string file) => new(await PipelineWorker.OpenAsync(new WorkerOptions { ConfigurationFile = file, Listens = true }));

    private sealed record Opened(PipelineWorker Worker) : IDisposable
    {
        public void Dispose() => Worker.DisposeAsync().AsTask().GetAwaiter().GetResult();
    }
}
