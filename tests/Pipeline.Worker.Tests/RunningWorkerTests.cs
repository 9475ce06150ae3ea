using Pipeline.Hosting;
using Pipeline.TestKit.Files;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary>Commands on a data folder that a worker has open ask this worker.</summary>
public sealed class RunningWorkerTests : IAsyncLifetime, IDisposable
{
    private readonly TestFolder _folder = new();
    private PipelineWorker _worker = null!;

    private string Data => _folder["data"];

    public async Task InitializeAsync()
    {
        var file = _folder.Write(
            "pipeline.yaml",
            """
            version: 1
            database: { name: shop, path: ./data }
            server: { url: "http://127.0.0.1:0" }
            connections: { out: { files: { directory: ./out } } }
            etl: [{ name: t, from: [Orders], to: out, transform: 'send("orders", new { Id = id });' }]
            subscriptions: [{ name: all, query: "from Orders" }]
            backups:
              - { name: local, to: { folder: ./bak } }
            """
        );
        _worker = await PipelineWorker.OpenAsync(new WorkerOptions { ConfigurationFile = file, Listens = true });
        await _worker.Database.PutAsync(
            "orders/1",
            """{"Total":9007199254740993,"Rate":1e400,"@metadata":{"@collection":"Orders"}}"""u8.ToArray()
        );
    }

    public Task DisposeAsync() => _worker.DisposeAsync().AsTask();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData("9007199254740993", "get", "orders/1")]
    [InlineData("1 result from ", "query", "from Orders where Total > 1", "--wait")]
    [InlineData("'shop' in ", "stats")]
    [InlineData("", "indexes")]
    [InlineData("", "subscriptions")]
    [InlineData("", "consumers", "list")]
    [InlineData("", "deadletters", "list")]
    [InlineData("", "compact")]
    [InlineData("all are sound", "scrub")]
    [InlineData("journal", "io-stats")]
    [InlineData("\"@id\":\"orders/1\"", "export")]
    [InlineData("9007199254740993", "subscribe", "all", "--until-empty")]
    [InlineData("lag", "top")]
    [InlineData("\"status\": \"ready\"", "health")]
    [InlineData("9007199254740993", "subscription", "try", "--collection", "Orders")]
    [InlineData("9007199254740993", "subscription", "try", "--query", "from Orders")]
    [InlineData("9007199254740993", "subscription", "try", "--collection", "Orders", "--filter", "doc.Total > 1")]
    [InlineData("\"Sum\":9007199254740993", "subscription", "try", "--projection", "new { Sum = doc.Total }")]
    [InlineData("task t: begins at the beginning", "apply")]
    [InlineData("nothing was running", "backup", "cancel", "local")]
    [InlineData("\"name\": \"local\"", "backup", "status")]
    public async Task ACommandUsesTheWorkerAndSaysSo(string expected, params string[] command)
    {
        var run = await WorkerRun.InvokeAsync([.. command, "--data", Data]);
        Assert.True(run.ExitCode == ExitCodes.Success, run.Error);
        Assert.StartsWith(
            $"pipeline: {Data} is open in the worker at {_worker.Address!.GetLeftPart(UriPartial.Authority)}; asking it"
                + Environment.NewLine,
            run.Error,
            StringComparison.Ordinal
        );
        Assert.DoesNotContain("pipeline: ", run.Error["pipeline: ".Length..], StringComparison.Ordinal);
        Assert.Contains(expected, run.Out, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("task t: begins at the beginning", "plan")]
    [InlineData("1 changes up to position 1 would be sent again", "replay", "t", "--from", "1", "--dry-run")]
    [InlineData("position 1", "backup", "run", "local")]
    public async Task ACommandOnAConfigurationUsesTheWorkerAndSaysSo(string expected, params string[] command)
    {
        var run = await WorkerRun.InvokeAsync([.. command, "--config", _folder["pipeline.yaml"]]);
        Assert.True(run.ExitCode == ExitCodes.Success, run.Error);
        Assert.EndsWith("; asking it" + Environment.NewLine, run.Error, StringComparison.Ordinal);
        Assert.Contains(expected, run.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task ADrillAndAPreviewUseTheWorker()
    {
        string[] config = ["--config", _folder["pipeline.yaml"]];
        await WorkerRun.InvokeAsync(["backup", "run", "local", .. config]);
        await _worker.Database.PutAsync("orders/2", """{"@metadata":{"@collection":"Orders"}}"""u8.ToArray());

        var drill = await WorkerRun.InvokeAsync(["backup", "drill", .. config]);
        Assert.Equal(ExitCodes.Success, drill.ExitCode);
        Assert.Contains("1 compared with the live ones", drill.Out, StringComparison.Ordinal);

        var preview = await WorkerRun.InvokeAsync(["restore", "local", "--preview", .. config]);
        Assert.Contains("asking it", preview.Error, StringComparison.Ordinal);
        Assert.Contains("Orders: 1 documents written", preview.Out, StringComparison.Ordinal);

        var restore = await WorkerRun.InvokeAsync(["restore", "local", "--to", Data, .. config]);
        Assert.Equal(ExitCodes.Usage, restore.ExitCode);
        Assert.Contains(
            "so nothing can be restored into it; restore into a new folder with --to",
            restore.Error,
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task AnotherFileIsNotPlannedByTheWorker()
    {
        var other = _folder.Write("other.yaml", "version: 1\ndatabase: { name: shop, path: ./data }\n");
        var run = await WorkerRun.InvokeAsync("plan", "--config", other);
        Assert.Equal(ExitCodes.Usage, run.ExitCode);
        Assert.Contains(
            $"it reads {_folder["pipeline.yaml"]}: change that file, or stop the worker",
            run.Error,
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task AWorkerExportsWhatTheFolderExportsAndItCanBeImported()
    {
        await _worker.Database.PutAsync("orders/2", """{"@metadata":{"@collection":"Orders"}}"""u8.ToArray());
        var file = _folder["all.jsonl.gz"];
        var exported = await WorkerRun.InvokeAsync("export", "--data", Data, "--output", file, "--json");
        Assert.True(exported.ExitCode == ExitCodes.Success, exported.Error);
        Assert.Contains("\"documents\": 2", exported.Out, StringComparison.Ordinal);

        var missing = await WorkerRun.InvokeAsync("export", "--data", Data, "--collection", "None");
        Assert.Equal(ExitCodes.Failed, missing.ExitCode);
        Assert.Contains("there is no collection 'None'", missing.Error, StringComparison.Ordinal);

        var asked = (await WorkerRun.InvokeAsync("export", "--data", Data)).Out;
        await _worker.DisposeAsync();
        var read = await WorkerRun.InvokeAsync("export", "--data", Data);
        Assert.Equal(("", read.Out), (read.Error, asked));
        var imported = await WorkerRun.InvokeAsync("import", file, "--data", _folder["copy"], "--json");
        Assert.Contains("\"documents\": 2", imported.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AnImportIntoAWorkerStoresNothingOfFilesWithFaults()
    {
        var good = _folder.Write("good.jsonl", """{"@metadata":{"@id":"a/1"}}""");
        var bad = _folder.Write("bad.jsonl", "{\"@metadata\":{\"@id\":\"a/2\"}}\n{nothing}\n");

        var refused = await WorkerRun.InvokeAsync("import", good, bad, "--data", Data);
        Assert.Equal(ExitCodes.Failed, refused.ExitCode);
        Assert.Contains($"{bad}:2:2: ", refused.Error, StringComparison.Ordinal);
        Assert.Equal(1, _worker.Database.LastPosition);

        var skipped = await WorkerRun.InvokeAsync("import", good, bad, "--data", Data, "--on-error", "skip");
        Assert.Equal(ExitCodes.Failed, skipped.ExitCode);
        Assert.Contains($"{bad}:2:2: ", skipped.Error, StringComparison.Ordinal);
        Assert.Contains("imported 2 documents into 'shop' (http", skipped.Out, StringComparison.Ordinal);
        Assert.Contains("1 lines are not documents", skipped.Out, StringComparison.Ordinal);
        Assert.Equal(3, _worker.Database.LastPosition);
    }

    [Fact]
    public async Task ACutGzipFileIsNotTakenForAWhole()
    {
        var path = _folder["all.jsonl.gz"];
        await WorkerRun.InvokeAsync("export", "--data", Data, "--output", path);
        var bytes = await File.ReadAllBytesAsync(path);
        await File.WriteAllBytesAsync(path, bytes[..^6]);
        var run = await WorkerRun.InvokeAsync("import", path, "--data", Data);
        Assert.Equal(ExitCodes.Failed, run.ExitCode);
        Assert.Contains("it is cut short", run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AProgramThatFailsGetsItsBatchFromTheWorkerAgain()
    {
        string[] command = ["subscribe", "all", "--until-empty", "--data", Data];
        var failed = await WorkerRun.InvokeAsync([.. command, "--exec", SubscribeCommandTests.Failing]);
        Assert.Equal(ExitCodes.Failed, failed.ExitCode);
        Assert.Contains("exited with 3; its batch is not acknowledged", failed.Error, StringComparison.Ordinal);

        var again = await WorkerRun.InvokeAsync(command);
        Assert.Contains("1 change acknowledged", again.Error, StringComparison.Ordinal);
        var expected = await WorkerRun.InvokeAsync("get", "orders/1", "--data", Data);
        Assert.Equal(expected.Out.TrimEnd(), again.Out.TrimEnd());
        Assert.Equal("", (await WorkerRun.InvokeAsync(command)).Out);
        var unknown = await WorkerRun.InvokeAsync("subscribe", "none", "--data", Data);
        Assert.Equal(ExitCodes.Failed, unknown.ExitCode);
        Assert.Contains("'none'", unknown.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("start one with 'pipeline run', or name one with --url", "top")]
    [InlineData("start one with 'pipeline run', or name one with --url", "health")]
    [InlineData("start one with 'pipeline run', or name one with --url", "cluster", "status")]
    [InlineData("start one with 'pipeline run', or name one with --url", "cluster", "verify")]
    [InlineData("'pipeline check' verifies a database that no process has open", "scrub")]
    public async Task ACommandThatNeedsAWorkerSaysWhichFolderHasNone(string advice, params string[] command)
    {
        var folder = _folder["alone"];
        var run = await WorkerRun.InvokeAsync([.. command, "--data", folder]);
        Assert.Equal(ExitCodes.Failed, run.ExitCode);
        Assert.Equal($"pipeline: no worker has {folder} open; {advice}{Environment.NewLine}", run.Error);
    }

    [Fact]
    public async Task AConfigurationFindsTheWorkerToo()
    {
        var run = await WorkerRun.InvokeAsync("get", "orders/1", "--config", _folder["pipeline.yaml"]);
        Assert.Equal(ExitCodes.Success, run.ExitCode);
        Assert.Contains("\"Rate\":1e400", run.Out, StringComparison.OrdinalIgnoreCase);
    }

    [Fact]
    public async Task AMissingDocumentIsAnErrorThatNamesItAndTheWorker()
    {
        var run = await WorkerRun.InvokeAsync("get", "orders/none", "--data", Data);
        Assert.Equal(ExitCodes.Failed, run.ExitCode);
        Assert.Contains("there is no document 'orders/none' in 'shop' (", run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task TheFileIsGoneWithTheWorkerAndAStaleOneIsIgnored()
    {
        var file = Path.Combine(Data, WorkerAddressFile.Name);
        var text = await File.ReadAllTextAsync(file);
        await _worker.DisposeAsync();
        Assert.False(File.Exists(file));

        await File.WriteAllTextAsync(file, text);
        var run = await WorkerRun.InvokeAsync("get", "orders/1", "--data", Data);
        Assert.Equal(("", ExitCodes.Success), (run.Error, run.ExitCode));
        Assert.Contains("9007199254740993", run.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AFolderOrFileBehindALinkIsTheWorkers()
    {
        if (OperatingSystem.IsWindows())
            return;
        Directory.CreateSymbolicLink(_folder["parent"], _folder[""]);
        Directory.CreateSymbolicLink(_folder["link"], "data");
        foreach (var path in (string[])[_folder["link"], _folder["parent/data"], _folder["parent/link"]])
        {
            var run = await WorkerRun.InvokeAsync("get", "orders/1", "--data", path);
            Assert.True(run.ExitCode == ExitCodes.Success, run.Error);
            Assert.Contains("asking it", run.Error, StringComparison.Ordinal);
        }

        var plan = await WorkerRun.InvokeAsync("plan", "--config", _folder["parent/pipeline.yaml"]);
        Assert.True(plan.ExitCode == ExitCodes.Success, plan.Error);
        Assert.Contains("asking it", plan.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task CasesAreRecordedFromTheWorkersDocumentsWithTheScriptOfTheFile()
    {
        await _worker.Database.PutAsync(
            "orders/2",
            """{"Total":2.50,"@metadata":{"@collection":"Orders"}}"""u8.ToArray()
        );
        var file = _folder["pipeline.yaml"];
        // The worker has not applied this script.
        await File.WriteAllTextAsync(
            file,
            (await File.ReadAllTextAsync(file)).Replace(
                "etl: [{ name: t, from: [Orders], to: out, transform: 'send(\"orders\", new { Id = id });' }]",
                "etl:\n  - name: t\n    from: [Orders]\n    to: out\n    transform: 'send(\"orders\", new { doc.Total });'",
                StringComparison.Ordinal
            )
        );

        var recorded = await WorkerRun.InvokeAsync("test", file, "--record", "5");
        Assert.True(recorded.ExitCode == ExitCodes.Success, recorded.Error);
        Assert.EndsWith("; asking it" + Environment.NewLine, recorded.Error, StringComparison.Ordinal);
        Assert.Equal($"2 cases were added to {file}{Environment.NewLine}", recorded.Out);
        Assert.Contains("        Total: 9007199254740993", await File.ReadAllTextAsync(file), StringComparison.Ordinal);
        var again = await WorkerRun.InvokeAsync("test", file, "--record", "5");
        Assert.Equal($"0 cases were added to {file}, 2 were there already{Environment.NewLine}", again.Out);
        var run = await WorkerRun.InvokeAsync("test", file);
        Assert.Contains("2 passed, 0 failed", run.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task ACopyOfTheFolderIsNotTheWorkers()
    {
        var copy = _folder["copy"];
        await WorkerRun.InvokeAsync(
            "import",
            _folder.Write("one.jsonl", """{"@metadata":{"@id":"a/1"}}"""),
            "--data",
            copy
        );
        File.Copy(Path.Combine(Data, WorkerAddressFile.Name), Path.Combine(copy, WorkerAddressFile.Name));
        var run = await WorkerRun.InvokeAsync("get", "a/1", "--data", copy);
        Assert.Equal(("", ExitCodes.Success), (run.Error, run.ExitCode));
    }
}
