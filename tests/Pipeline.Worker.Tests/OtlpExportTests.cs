using Pipeline.TestKit.Files;
using Pipeline.TestKit.Processes;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary>
/// A worker sends spans, metrics and logs of its tasks to the collector that OpenTelemetry's own variables name.
/// </summary>
public sealed class OtlpExportTests
{
    private const string Metric = "pipeline.etl.messages";

    [SkippableFact]
    public async Task SpansMetricsAndLogsOfATaskArrive()
    {
        await using var collector = new OtlpReceiver();
        await RunAsync(
            new() { ["OTEL_EXPORTER_OTLP_ENDPOINT"] = collector.Url, ["OTEL_SERVICE_NAME"] = "shop-worker" },
            async () =>
            {
                await collector.UntilAsync("/v1/traces", "etl transform");
                await collector.UntilAsync("/v1/traces", "etl send");
                await collector.UntilAsync("/v1/traces", "shop-worker");
                await collector.UntilAsync("/v1/metrics", Metric);
                await collector.UntilAsync("/v1/logs", "opened 'shop' in ");
                await collector.UntilAsync("/v1/logs", "Pipeline.Etl.copy");
            }
        );
        await collector.UntilAsync("/v1/logs", "ETL task copy stopped at position 20");
        Assert.Equal(["/v1/logs", "/v1/metrics", "/v1/traces"], collector.Paths);
    }

    [SkippableTheory]
    [InlineData("TRACES", "etl send")]
    [InlineData("METRICS", Metric)]
    [InlineData("LOGS", "opened 'shop' in ")]
    public async Task OneOfThemHasAnEndpointOfItsOwn(string signal, string name)
    {
        await using var collector = new OtlpReceiver();
        await RunAsync(
            new() { [$"OTEL_EXPORTER_OTLP_{signal}_ENDPOINT"] = collector.Url + "/own/place" },
            () => collector.UntilAsync("/own/place", name)
        );
        Assert.Equal(["/own/place"], collector.Paths);
    }

    private static async Task RunAsync(Dictionary<string, string> variables, Func<Task> arrived)
    {
        variables["OTEL_EXPORTER_OTLP_PROTOCOL"] = "http/protobuf";
        variables["OTEL_METRIC_EXPORT_INTERVAL"] =
            variables["OTEL_BSP_SCHEDULE_DELAY"] =
            variables["OTEL_BLRP_SCHEDULE_DELAY"] =
                "200";
        using var folder = new TestFolder();
        var config = RunOnceTests.Configure(folder, transform: "send(\"out\", new { doc.N });");
        folder.Write("things.jsonl", RunOnceTests.Things(20));
        using var process = new WorkerProcess(variables, "run", "--config", config);
        var reading = process.ReadErrorUntilAsync("listening on ");
        await Task.WhenAll(reading, arrived());
        process.Signal(ProcessSignal.Terminate);
        Assert.Equal(ExitCodes.Success, (await process.WaitAsync()).ExitCode);
    }
}
