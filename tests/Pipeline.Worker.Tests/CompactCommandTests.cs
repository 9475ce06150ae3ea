using System.Globalization;
using System.Net;
using System.Text.Json;
using System.Text.RegularExpressions;
using Pipeline.Database;
using Pipeline.Hosting;
using Pipeline.Hosting.Metrics;
using Pipeline.Server.Hosting;
using Pipeline.Server.Settings;
using Pipeline.Storage;
using Pipeline.Subscriptions;
using Pipeline.TestKit.Files;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests;

public sealed class CompactCommandTests
{
    private const int Documents = 2000;

    /// <summary>Makes a database and deletes nine in ten of its documents.</summary>
    private static async Task ThinOutAsync(TestFolder folder)
    {
        var lines = Enumerable
            .Range(0, Documents)
            .Select(i =>
                $$"""{ "N": {{i}}, "Text": "{{new string((char)('a' + (i % 26)), 1500)}}", "@metadata": { "@id": "things/{{i}}", "@collection": "Things" } }"""
            );
        Assert.Equal(
            0,
            (
                await WorkerRun.InvokeAsync(
                    "import",
                    folder.Write("t.jsonl", string.Join('\n', lines)),
                    "--data",
                    folder["a"]
                )
            ).ExitCode
        );
        await using var database = DocumentDatabase.Open(new DatabaseOptions { Name = "a", Path = folder["a"] });
        await Task.WhenAll(
            Enumerable
                .Range(0, Documents)
                .Where(i => i % 10 != 3)
                .Select(i => database.DeleteAsync(string.Create(CultureInfo.InvariantCulture, $"things/{i}")))
        );
    }

    [Fact]
    public async Task ADatabaseNobodyHasOpenGetsShorterAndKeepsItsDocuments()
    {
        using var folder = new TestFolder();
        await ThinOutAsync(folder);
        var before = new FileInfo(folder["a/pipeline.data"]).Length;

        var run = await WorkerRun.InvokeAsync("compact", "--data", folder["a"], "--json");

        Assert.Equal("", run.Error);
        Assert.Equal(ExitCodes.Success, run.ExitCode);
        var figures = JsonDocument.Parse(run.Out).RootElement;
        Assert.True(figures.GetProperty("pagesMoved").GetInt64() > 0);
        Assert.True(figures.GetProperty("isCut").GetBoolean());
        var after = new FileInfo(folder["a/pipeline.data"]).Length;
        Assert.True(after < before / 2, $"{before} bytes became {after}");
        Assert.Contains("all is sound", (await WorkerRun.InvokeAsync("check", "--data", folder["a"])).Out);
        var got = await WorkerRun.InvokeAsync("get", "things/1003", "--data", folder["a"]);
        Assert.Contains("\"N\":1003", got.Out);
        Assert.Contains(
            "0 pages moved; data file ",
            (await WorkerRun.InvokeAsync("compact", "--data", folder["a"])).Out
        );
    }

    [Fact]
    public async Task AFolderWithoutADatabaseIsExitCode2AndStaysEmpty()
    {
        using var folder = new TestFolder();
        folder.Write("b/x.txt", "x");
        var run = await WorkerRun.InvokeAsync("compact", "--data", folder["b"]);
        Assert.Equal(ExitCodes.Usage, run.ExitCode);
        Assert.Contains("pipeline.data is missing", run.Error);
        Assert.Single(Directory.GetFileSystemEntries(folder["b"]));
        Assert.Equal(ExitCodes.Usage, (await WorkerRun.InvokeAsync("compact", "--data", folder["none"])).ExitCode);
        Assert.False(Directory.Exists(folder["none"]));
    }

    [Fact]
    public async Task AFolderInUseIsRefusedNamingItsHolder()
    {
        using var folder = new TestFolder();
        await WorkerRun.InvokeAsync("import", folder.Write("t.jsonl", RunOnceTests.Things(1)), "--data", folder["a"]);
        await using var holder = DocumentDatabase.Open(new DatabaseOptions { Name = "a", Path = folder["a"] });
        var run = await WorkerRun.InvokeAsync("compact", "--data", folder["a"], "--log-level", "none");
        Assert.Equal(ExitCodes.Usage, run.ExitCode);
        Assert.Matches($"{Regex.Escape(folder["a"])}.* is in use by .*{Environment.ProcessId}", run.Error);
    }

    [Fact]
    public async Task AnInterruptedOneIsExitCode130AndHarmsNothing()
    {
        using var folder = new TestFolder();
        await ThinOutAsync(folder);
        using var interrupted = new CancellationTokenSource();
        await interrupted.CancelAsync();
        var run = await WorkerRun.InvokeAsync(["compact", "--data", folder["a"]], interrupted.Token);
        Assert.Equal(ExitCodes.Interrupted, run.ExitCode);
        Assert.Contains("all is sound", (await WorkerRun.InvokeAsync("check", "--data", folder["a"])).Out);
    }

    [Fact]
    public async Task ARunningWorkerDoesItWhenAsked()
    {
        using var folder = new TestFolder();
        await ThinOutAsync(folder);
        await using var database = DocumentDatabase.Open(new DatabaseOptions { Name = "a", Path = folder["a"] });
        await using var subscriptions = SubscriptionHost.Open(database);
        using var metrics = new MetricCollector(MetricCollector.IsOurs);
        await using var server = await WorkerServer.StartAsync(
            new ServerOptions(),
            static _ => new(ReadinessReport.Of([])),
            metrics,
            new SharedDatabase(database, subscriptions),
            folder["a"],
            default
        );

        var run = await WorkerRun.InvokeAsync("compact", "--url", server.Address.ToString());

        Assert.Equal("", run.Error);
        Assert.Matches("^[0-9,]+ pages moved; data file .* MiB in use\\)\r?\n$", run.Out);
        var figures = database.Storage.GetStatistics();
        Assert.True(
            figures.FreePages < figures.PageCount / 5,
            $"{figures.FreePages} of {figures.PageCount} pages are free"
        );
        Assert.True(StorageChecker.Check(database.Storage).IsSound);
        using var client = new HttpClient();
        using var get = await client.GetAsync(new Uri(server.Address, StorageEndpoint.CompactPath));
        Assert.Equal(HttpStatusCode.NotFound, get.StatusCode);
    }

    [Fact]
    public async Task AnAddressWhereNobodyListensIsAnError()
    {
        Assert.Contains("is not an http address", (await WorkerRun.InvokeAsync("compact", "--url", "here")).Error);
        var run = await WorkerRun.InvokeAsync("compact", "--url", "http://127.0.0.1:1");
        Assert.Equal(ExitCodes.Failed, run.ExitCode);
        Assert.Contains("no worker answers at http://127.0.0.1:1", run.Error);
    }
}
