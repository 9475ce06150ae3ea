using Pipeline.Documents;
using Pipeline.Hosting;
using Pipeline.TestKit.Files;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary>The preview of a restore where a backup has several destinations and a worker runs.</summary>
public sealed class RestorePreviewTests : IDisposable
{
    private readonly TestFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task The_worker_reads_the_destination_that_the_command_names()
    {
        var file = _folder.Write(
            "pipeline.yaml",
            """
            version: 1
            database: { name: shop, path: ./data }
            server: { url: "http://127.0.0.1:0" }
            backups: [{ name: twice, to: [{ folder: ./one }, { folder: ./two }] }]
            """
        );
        await using var worker = await PipelineWorker.OpenAsync(
            new WorkerOptions { ConfigurationFile = file, Listens = true }
        );
        string[] config = ["--config", file];
        await PutAsync(worker, "orders/1");
        await WorkerRun.InvokeAsync(["backup", "run", "twice", .. config]);
        // From here on, only the second destination has a backup of position 1.
        Directory.Delete(_folder["one"], recursive: true);
        await PutAsync(worker, "orders/2");
        await WorkerRun.InvokeAsync(["backup", "run", "twice", "--full", .. config]);

        string[] preview = ["restore", "twice", "--preview", "--position", "1", .. config];
        var second = await WorkerRun.InvokeAsync([.. preview, "--destination", "2"]);
        Assert.True(second.ExitCode == ExitCodes.Success, second.Error);
        Assert.Contains("asking it", second.Error, StringComparison.Ordinal);
        Assert.Contains("Orders: 1 documents written", second.Out, StringComparison.Ordinal);
        var first = await WorkerRun.InvokeAsync([.. preview, "--destination", "1"]);
        Assert.NotEqual(ExitCodes.Success, first.ExitCode);
    }

    private static Task<PutResult> PutAsync(PipelineWorker worker, string id) =>
        worker.Database.PutAsync(id, """{"@metadata":{"@collection":"Orders"}}"""u8.ToArray());
}
