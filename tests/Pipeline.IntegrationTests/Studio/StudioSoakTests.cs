using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Logging;
using Pipeline.Hosting;
using Pipeline.Subscriptions;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.IntegrationTests.Studio;

/// <summary>
/// Studio stays open while documents are written, and neither its tabs nor the worker grow: the test is in soak.mjs.
/// PIPELINE_STUDIO_MINUTES makes it last that long; it appends the figures of each round to PIPELINE_STUDIO_LOG, a file.
/// </summary>
public sealed class StudioSoakTests
{
    private const string Configuration = """
        version: 1
        database: { name: shop, path: ./data }
        server: { url: "http://127.0.0.1:0" }
        connections: { out: { files: { directory: ./out } } }
        indexes:
          - { name: Orders/ByCity, maps: ["from o in docs.Orders select new { o.City, Count = 1 }"], reduce: "from r in results group r by r.City into g select new { City = g.Key, Count = g.Sum(x => x.Count) }" }
        backups: [{ name: nightly, to: { folder: ./backups } }]
        subscriptions: [{ name: watchers, query: "from Orders where Total > 5" }]
        etl:
          - { name: big, from: [Orders], to: out, transform: "send(\"orders\", doc);" }
        """;

    [SkippableFact]
    public async Task Tabs_that_stay_open_do_not_grow()
    {
        var variables = StudioSuite.FindVariables();
        variables["MINUTES"] = Environment.GetEnvironmentVariable("PIPELINE_STUDIO_MINUTES") ?? "";
        using var folder = new TestFolder();
        await using var worker = await PipelineWorker.OpenAsync(
            new WorkerOptions { ConfigurationFile = folder.Write("pipeline.yaml", Configuration), Listens = true }
        );
        using var stop = new CancellationTokenSource();
        var running = worker.RunAsync(stop.Token);
        await using var consumer = await worker.Subscriptions.ConnectAsync("watchers");
        var consuming = ConsumeAsync(consumer, stop.Token);
        var builder = WebApplication.CreateSlimBuilder();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Logging.ClearProviders();
        await using var memory = builder.Build();
        memory.MapGet(
            "/",
            () => new { managed = GC.GetTotalMemory(forceFullCollection: true), resident = Environment.WorkingSet }
        );
        await memory.StartAsync();
        variables["MEMORY"] = memory.Urls.First();
        await StudioSuite.RunAsync("soak.mjs", 1, worker.Address!.GetLeftPart(UriPartial.Authority), variables);
        await stop.CancelAsync();
        await consuming;
        await running;
    }

    private static async Task ConsumeAsync(SubscriptionWorker consumer, CancellationToken stop)
    {
        try
        {
            while (await consumer.NextAsync(ct: stop) is { } batch)
                await batch.AcknowledgeAsync(ct: stop);
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            // The test is over.
        }
    }
}
