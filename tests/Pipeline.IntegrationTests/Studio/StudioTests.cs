using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Pipeline.Documents.Events;
using Pipeline.Hosting;
using Pipeline.Worker;
using Xunit;

namespace Pipeline.IntegrationTests.Studio;

/// <summary>
/// The Studio of a running worker, used in Chromium: the tests are in studio.mjs. With PIPELINE_SCREENSHOTS, a folder,
/// they leave screenshots there.
/// </summary>
public sealed class StudioTests
{
    private const string Configuration = """
        version: 1
        database: { name: shop, path: ./data }
        server: { url: "http://127.0.0.1:0" }
        connections: { out: { files: { directory: ./out } }, away: { kafka: { bootstrapServers: "127.0.0.1:1" } } }
        indexes:
          - { name: Orders/Failing, maps: ["from o in docs.Orders select new { Share = 100 / (int)(o.Total - 7) }"] }
          - { name: Orders/ByCity, maps: ["from o in docs.Orders select new { o.City, Count = 1, Total = o.Total }"], reduce: "from r in results group r by r.City into g select new { City = g.Key, Count = g.Sum(x => x.Count), Total = g.Sum(x => x.Total) }" }
        backups: [{ name: nightly, to: { folder: ./backups } }]
        subscriptions: [{ name: watchers, query: "from Orders where Total > 5" }]
        etl:
          - { name: big, from: [Orders], to: out, transform: "if (doc.Total == 7) throw new InvalidOperationException(\"of a kind\"); send(\"orders\", doc);" }
          - { name: stream, from: [Orders], to: away, transform: "send(\"stream\", doc);" }
        """;

    [SkippableFact]
    public Task It_works_in_a_browser() => RunSuiteAsync(ServeAsync);

    [SkippableFact]
    public Task It_works_below_a_path_of_an_application() =>
        RunSuiteAsync(
            async (folder, run) =>
            {
                var builder = WebApplication.CreateSlimBuilder(new WebApplicationOptions { ContentRootPath = folder });
                builder.WebHost.UseUrls("http://127.0.0.1:0");
                builder.Logging.ClearProviders();
                builder.Services.AddPipeline();
                await using var app = builder.Build();
                app.MapPipeline("/admin/studio");
                await app.StartAsync();
                await StoreAsync(app.Services.GetRequiredService<PipelineWorker>());
                await run(app.Urls.First() + "/admin/studio");
                await app.StopAsync();
            }
        );

    [SkippableFact]
    public Task Indexes_subscriptions_events_backups_and_operations_work_in_a_browser() =>
        RunSuiteAsync(ServeAsync, "views.mjs", 15);

    [SkippableFact]
    public Task Lists_revisions_and_patches_work_in_a_browser() => RunSuiteAsync(ServeAsync, "data.mjs", 16);

    [SkippableFact]
    public Task Results_are_bars_maps_and_long_tables_in_a_browser() => RunSuiteAsync(ServeAsync, "queries.mjs", 13);

    [SkippableFact]
    public Task Every_page_is_accessible_fits_the_window_and_loads_fast() => RunSuiteAsync(ServeAsync, "audit.mjs", 6);

    private static async Task ServeAsync(string folder, Func<string, Task> run)
    {
        await using var worker = await PipelineWorker.OpenAsync(
            new WorkerOptions { ConfigurationFile = Path.Combine(folder, "pipeline.yaml"), Listens = true }
        );
        await StoreAsync(worker);
        using var stop = new CancellationTokenSource();
        var running = worker.RunAsync(stop.Token);
        await run(worker.Address!.GetLeftPart(UriPartial.Authority));
        await stop.CancelAsync();
        await running;
    }

    private static async Task StoreAsync(PipelineWorker worker)
    {
        string[] cities = ["Berlin", "Paris", "Rome", "Madrid", "Oslo"];
        for (var i = 0; i < 120; i++)
        {
            await worker.Database.PutAsync(
                $"orders/{i}",
                Encoding.UTF8.GetBytes(
                    $$$"""{"Total":{{{i}}},"City":"{{{cities[i % 5]}}}","@metadata":{"@collection":"Orders"}}"""
                )
            );
        }

        (string Type, string Json)[] events =
        [
            ("OrderPlaced", """{"Status":"new","Customer":"companies/3","Total":0}"""),
            ("LineAdded", """{"Total":42.50,"Lines":2}"""),
            ("OrderPaid", """{"Status":"paid"}"""),
            ("OrderShipped", """{"Status":"shipped","Tracking":"DE-9007199254740993"}"""),
        ];
        await worker.Database.Events.AppendAsync(
            "order-17",
            [
                .. events.Select(
                    (e, i) =>
                        new EventData
                        {
                            SequenceNumber = i + 1,
                            Manifest = e.Type,
                            Payload = Encoding.UTF8.GetBytes(e.Json),
                        }
                ),
            ]
        );
    }

    private static async Task RunSuiteAsync(
        Func<string, Func<string, Task>, Task> serve,
        string suite = "studio.mjs",
        int tests = 24
    )
    {
        var variables = StudioSuite.FindVariables();
        var folder = Directory.CreateTempSubdirectory("pipeline-studio-");
        try
        {
            await File.WriteAllTextAsync(Path.Combine(folder.FullName, "pipeline.yaml"), Configuration);
            variables["FOLDER"] = folder.FullName;
            await serve(folder.FullName, url => StudioSuite.RunAsync(suite, tests, url, variables));
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }
}
