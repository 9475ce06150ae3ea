using System.Diagnostics;
using System.Diagnostics.Metrics;
using OpenTelemetry;
using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;
using Pipeline.Hosting;
using Xunit;

namespace Pipeline.Worker.Tests.Hosting;

/// <summary><c>WithPipeline()</c> exports what activity sources and meters of Pipeline record.</summary>
public sealed class TelemetryHostingTests
{
    [Fact]
    public void Activities_and_measurements_reach_the_applications_exporters()
    {
        var (activities, metrics) = (new Activities(), new Names());
        using (
            var sdk = OpenTelemetrySdk.Create(builder =>
                builder
                    .WithPipeline()
                    .WithTracing(t => t.AddProcessor(activities))
                    .WithMetrics(m => m.AddReader(new BaseExportingMetricReader(metrics)))
            )
        )
        {
            using var source = new ActivitySource("Pipeline.Etl");
            using var meter = new Meter("Pipeline.Storage");
            meter.CreateCounter<int>("pipeline.test.hosting").Add(1);
            source.StartActivity("hosting test")!.Dispose();
            sdk.MeterProvider.ForceFlush();
        }
        Assert.Contains("hosting test", activities.Seen);
        Assert.Contains("pipeline.test.hosting", metrics.Seen);
    }

    private sealed class Activities : BaseProcessor<Activity>
    {
        public List<string> Seen { get; } = [];

        public override void OnEnd(Activity data)
        {
            lock (Seen)
                Seen.Add(data.OperationName);
        }
    }

    private sealed class Names : BaseExporter<Metric>
    {
        public HashSet<string> Seen { get; } = [];

        public override ExportResult Export(in Batch<Metric> batch)
        {
            foreach (var metric in batch)
                Seen.Add(metric.Name);
            return ExportResult.Success;
        }
    }
}
