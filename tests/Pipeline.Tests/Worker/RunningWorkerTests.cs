using Pipeline.Worker;
using Pipeline.Worker.Hosting;
using Xunit;

namespace Pipeline.Tests.Worker;

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
    public async Task ACommandUsesTheWorkerAndSaysSo(string expected, params string[] command)
    {
        var run = await WorkerRun.InvokeAsync([.. command, "--data", Data]);
        Assert.True(run.ExitCode == ExitCodes.Success, run.Error);
        Assert.Equal(
            $"pipeline: {Data} is open in the worker at {_worker.Address!.GetLeftPart(UriPartial.Authority)}; asking it"
                + Environment.NewLine,
            run.Error
        );
        Assert.Contains(expected, run.Out, StringComparison.Ordinal);
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
