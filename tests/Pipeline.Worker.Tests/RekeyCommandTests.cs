using Pipeline.Database.Queries;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Hosting;
using Pipeline.TestKit.Files;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests;

public sealed class RekeyCommandTests
{
    [Fact]
    public async Task AnEncryptedDatabaseGetsANewKeyAndOpensWithItAlone()
    {
        using var folder = new TestFolder();
        var (first, second) = (
            folder.Write("first.key", new string('a', 64)),
            folder.Write("second.key", new string('b', 64))
        );
        string Configuration(string key) =>
            folder.Write(
                "pipeline.yaml",
                $"version: 1\ndatabase:\n  name: t\n  path: data\n  encryption: {{ keyFile: {key} }}\n"
            );
        var config = Configuration("first.key");
        var things = folder.Write("t.jsonl", RunOnceTests.Things(3));
        Assert.Equal(0, (await WorkerRun.InvokeAsync("import", things, "--config", config)).ExitCode);

        Assert.Contains(
            "is encrypted, but no key is given",
            (await WorkerRun.InvokeAsync("stats", "--data", folder["data"])).Error,
            StringComparison.Ordinal
        );
        Assert.Equal(ExitCodes.Usage, (await WorkerRun.InvokeAsync("rekey", "--config", config)).ExitCode);
        var run = await WorkerRun.InvokeAsync("rekey", "--config", config, "--new-key-file", second, "--data-key");
        Assert.True(run.ExitCode == 0, run.Error);

        Assert.Contains(
            "under another key",
            (await WorkerRun.InvokeAsync("stats", "--config", config)).Error,
            StringComparison.Ordinal
        );
        Assert.Equal(0, (await WorkerRun.InvokeAsync("stats", "--config", Configuration("second.key"))).ExitCode);
        Assert.NotEqual(first, second);
        var none = await WorkerRun.InvokeAsync(
            "stats",
            "--config",
            folder.Write("none.yaml", "version: 1\ndatabase:\n  name: t\n  path: data\n  encryption: {}\n")
        );
        Assert.Contains("must name one source of the key", none.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task TheStoreOfANodeGetsANewKeyAndKeepsItsDataKey()
    {
        using var folder = new TestFolder();
        var second = folder.Write("second.key", new string('b', 64));
        folder.Write("first.key", new string('a', 64));
        string Configuration(string key) =>
            folder.Write(
                "pipeline.yaml",
                $"version: 1\ndatabase:\n  name: t\n  path: data\n  encryption: {{ keyFile: {key} }}\n"
            );
        var config = Configuration("first.key");
        var things = folder.Write("t.jsonl", RunOnceTests.Things(3));
        Assert.Equal(0, (await WorkerRun.InvokeAsync("import", things, "--config", config)).ExitCode);
        folder.Write("data/log.position", "");

        var both = await WorkerRun.InvokeAsync("rekey", "--config", config, "--new-key-file", second, "--data-key");
        Assert.Equal(ExitCodes.Usage, both.ExitCode);
        Assert.Contains("the node is filled from a peer", both.Error, StringComparison.Ordinal);
        var key = await WorkerRun.InvokeAsync("rekey", "--config", config, "--new-key-file", second);
        Assert.True(key.ExitCode == 0, key.Error);
        Assert.Equal(0, (await WorkerRun.InvokeAsync("stats", "--config", Configuration("second.key"))).ExitCode);
    }

    [Fact]
    public async Task IndexesAndClientsDatabasesGetItToo()
    {
        using var folder = new TestFolder();
        var (first, second) = (
            folder.Write("first.key", new string('a', 64)),
            folder.Write("second.key", new string('b', 64))
        );
        string Configuration(string key) =>
            folder.Write(
                "pipeline.yaml",
                $$"""
                version: 1
                database: { name: t, path: data, encryption: { keyFile: {{key}} } }
                server: { url: "http://127.0.0.1:0" }
                indexes: [{ name: Things/ByN, maps: ["from t in docs.Things select new { t.N }"] }]
                """
            );
        await UseAsync(
            Configuration("first.key"),
            async (worker, http) =>
            {
                (await http.PutAsync("/admin/databases?name=more", new StringContent("{}"))).EnsureSuccessStatusCode();
                (await http.PutAsync("/databases/more/docs?id=a", new StringContent("{}"))).EnsureSuccessStatusCode();
                await worker.Database.PutAsync(
                    "things/1",
                    """{"N":1,"@metadata":{"@collection":"Things"}}"""u8.ToArray()
                );
                await QueryAsync(worker);
            }
        );
        var run = await WorkerRun.InvokeAsync("rekey", "--config", folder["pipeline.yaml"], "--new-key-file", second);
        Assert.True(run.ExitCode == 0, run.Error);
        Assert.Contains("with 2 of its indexes and of clients' databases", run.Out, StringComparison.Ordinal);
        File.Delete(first);
        await UseAsync(
            Configuration("second.key"),
            async (worker, http) =>
            {
                (await http.GetAsync("/databases/more/docs?id=a")).EnsureSuccessStatusCode();
                await QueryAsync(worker);
            }
        );

        static async Task QueryAsync(PipelineWorker worker) =>
            Assert.Equal(
                1,
                (
                    await worker.Database.QueryAsync(
                        new QueryRequest("from index 'Things/ByN' where N = 1")
                        {
                            Wait = new IndexWait(TimeSpan.FromSeconds(30)),
                        }
                    )
                ).Total
            );
    }

    private static async Task UseAsync(string configuration, Func<PipelineWorker, HttpClient, Task> use)
    {
        await using var worker = await PipelineWorker.OpenAsync(
            new WorkerOptions { ConfigurationFile = configuration, Listens = true }
        );
        using var http = new HttpClient { BaseAddress = worker.Address };
        await use(worker, http);
    }
}
