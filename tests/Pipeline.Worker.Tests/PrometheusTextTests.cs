using System.Diagnostics;
using System.Diagnostics.Metrics;
using Pipeline.Hosting.Metrics;
using Xunit;

namespace Pipeline.Worker.Tests;

public sealed class PrometheusTextTests
{
    private static readonly KeyValuePair<string, object?>[] Resource = [new("service.name", "pipeline")];

    [Theory]
    [InlineData("pipeline.etl.messages", "{message}", 0, "pipeline_etl_messages_total")]
    [InlineData("pipeline.etl.messages", null, 0, "pipeline_etl_messages_total")]
    [InlineData("requests.total", null, 0, "requests_total")]
    [InlineData("io.written", "By", 0, "io_written_bytes_total")]
    [InlineData("io.rate", "By/s", 1, "io_rate_bytes_per_second")]
    [InlineData("commit.duration", "s", 2, "commit_duration_seconds")]
    [InlineData("commit.duration", "ms", 2, "commit_duration_milliseconds")]
    [InlineData("duration_seconds", "s", 2, "duration_seconds")]
    [InlineData("cache.hits", "1", 1, "cache_hits_ratio")]
    [InlineData("cache.hits", "1", 0, "cache_hits_total")]
    [InlineData("a--b..c", "", 1, "a_b_c")]
    [InlineData("9lives", "{life}", 1, "_9lives")]
    [InlineData("rate", "{x}/min", 1, "rate_per_minute")]
    [InlineData("odd", "fur long", 1, "odd_fur_long")]
    [InlineData("dotnet.process.cpu.count", "{cpu}", 1, "dotnet_process_cpu")]
    [InlineData("work_item.count", "{work_item}", 0, "work_item_count_total")]
    [InlineData("count", null, 1, "count")]
    public void NamesFollowOpenTelemetrysMapping(string name, string? unit, int kind, string expected) =>
        Assert.Equal(expected, MetricName.ForInstrument(name, unit, (MetricKind)kind));

    [Fact]
    public void EachInstrumentTypeIsWrittenWithItsValues()
    {
        using var meter = new Meter("Pipeline.Test." + nameof(EachInstrumentTypeIsWrittenWithItsValues));
        using var collector = new MetricCollector(m => ReferenceEquals(m, meter));
        var counter = meter.CreateCounter<long>("jobs.done", "{job}", "Jobs that are done.");
        var upDown = meter.CreateUpDownCounter<int>("jobs.open", "{job}", "Jobs that are open.");
        var gauge = meter.CreateGauge<double>("temperature", "Cel", "How warm it is.");
        var histogram = meter.CreateHistogram(
            "job.duration",
            "s",
            "How long a job takes.",
            tags: null,
            new InstrumentAdvice<double> { HistogramBucketBoundaries = [0.5, 1, 2] }
        );
        meter.CreateObservableGauge(
            "depth",
            () => new Measurement<long>(7, new KeyValuePair<string, object?>("queue", "a")),
            "{item}",
            "How deep it is."
        );

        counter.Add(2, new KeyValuePair<string, object?>("task", "x"));
        counter.Add(3, new KeyValuePair<string, object?>("task", "x"));
        upDown.Add(5);
        upDown.Add(-7);
        gauge.Record(20.5);
        gauge.Record(21.25);
        foreach (var value in (double[])[0.5, 0.75, 2, 3])
            histogram.Record(value);

        var scope = $"otel_scope_name=\"{meter.Name}\"";
        Assert.Equal(
            $$"""
            # HELP depth How deep it is.
            # TYPE depth gauge
            depth{{{scope}},queue="a"} 7
            # HELP job_duration_seconds How long a job takes.
            # TYPE job_duration_seconds histogram
            job_duration_seconds_bucket{{{scope}},le="0.5"} 1
            job_duration_seconds_bucket{{{scope}},le="1"} 2
            job_duration_seconds_bucket{{{scope}},le="2"} 3
            job_duration_seconds_bucket{{{scope}},le="+Inf"} 4
            job_duration_seconds_sum{{{scope}}} 6.25
            job_duration_seconds_count{{{scope}}} 4
            # HELP jobs_done_total Jobs that are done.
            # TYPE jobs_done_total counter
            jobs_done_total{{{scope}},task="x"} 5
            # HELP jobs_open Jobs that are open.
            # TYPE jobs_open gauge
            jobs_open{{{scope}}} -2
            # HELP temperature_celsius How warm it is.
            # TYPE temperature_celsius gauge
            temperature_celsius{{{scope}}} 21.25
            # HELP target_info What produces these metrics.
            # TYPE target_info gauge
            target_info{service_name="pipeline"} 1

            """,
            PrometheusText.Write(collector.Collect(), Resource)
        );
    }

    [Fact]
    public void HelpAndLabelsAreEscaped()
    {
        using var meter = new Meter("Pipeline.Test." + nameof(HelpAndLabelsAreEscaped));
        using var collector = new MetricCollector(m => ReferenceEquals(m, meter));
        var counter = meter.CreateCounter<double>("odd", description: "a \\ and\na \"quote\"");

        counter.Add(
            0.1,
            new KeyValuePair<string, object?>("a.b", "x\"y\\z\nw"),
            new KeyValuePair<string, object?>("a_b", true)
        );

        var text = PrometheusText.Write(collector.Collect(), Resource);
        Assert.Contains("# HELP odd_total a \\\\ and\\na \"quote\"\n", text);
        Assert.Contains($"odd_total{{a_b=\"x\\\"y\\\\z\\nw;true\",otel_scope_name=\"{meter.Name}\"}} 0.1\n", text);
    }

    [Fact]
    public void AnObservableSeriesThatIsNoLongerToldIsLeftOut()
    {
        using var meter = new Meter("Pipeline.Test." + nameof(AnObservableSeriesThatIsNoLongerToldIsLeftOut));
        using var collector = new MetricCollector(m => ReferenceEquals(m, meter));
        string[] tasks = ["a", "b"];
        meter.CreateObservableGauge(
            "lag",
            () => tasks.Select(t => new Measurement<long>(1, new KeyValuePair<string, object?>("task", t)))
        );

        Assert.Contains("task=\"b\"", PrometheusText.Write(collector.Collect(), Resource));
        tasks = ["a"];
        Assert.DoesNotContain("task=\"b\"", PrometheusText.Write(collector.Collect(), Resource));
    }

    [Fact]
    public void SeriesOverTheLimitAreCountedTogether()
    {
        using var meter = new Meter("Pipeline.Test." + nameof(SeriesOverTheLimitAreCountedTogether));
        using var collector = new MetricCollector(m => ReferenceEquals(m, meter));
        var counter = meter.CreateCounter<long>("many");

        for (var i = 0; i < InstrumentState.SeriesLimit + 10; i++)
            counter.Add(1, new KeyValuePair<string, object?>("n", i));

        var family = Assert.Single(collector.Collect());
        Assert.Equal(InstrumentState.SeriesLimit + 1, family.Points.Count);
        var overflow = Assert.Single(family.Points, p => p.Point.Tags.Any(t => t.Key == "otel.metric.overflow"));
        Assert.Equal(10, overflow.Point.Value);
    }

    [Fact]
    public void AMeasurementOfAKnownSeriesAllocatesNothing()
    {
        using var meter = new Meter("Pipeline.Test." + nameof(AMeasurementOfAKnownSeriesAllocatesNothing));
        using var collector = new MetricCollector(m => ReferenceEquals(m, meter));
        var counter = meter.CreateCounter<long>("hot");
        var tag = new KeyValuePair<string, object?>("task", "a");
        for (var i = 0; i < 100; i++)
            counter.Add(1, tag);

        var before = GC.GetAllocatedBytesForCurrentThread();
        for (var i = 0; i < 1_000; i++)
            counter.Add(1, tag);
        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
    }

    [SkippableFact]
    public async Task PrometheussOwnCheckerAcceptsTheText()
    {
        var promtool = (Environment.GetEnvironmentVariable("PATH") ?? "")
            .Split(':')
            .Select(p => Path.Combine(p, "promtool"))
            .FirstOrDefault(File.Exists);
        Skip.If(promtool is null, "promtool (Debian's prometheus package) is not installed");
        using var meter = new Meter("Pipeline.Test." + nameof(PrometheussOwnCheckerAcceptsTheText));
        using var collector = new MetricCollector(m => ReferenceEquals(m, meter) || MetricCollector.IsOurs(m));
        meter
            .CreateHistogram<double>("step.duration", "s", "How long a step takes.")
            .Record(0.2, new KeyValuePair<string, object?>("task", "odd \"name\"\n"));
        meter.CreateCounter<long>("steps", "{step}", "Steps.").Add(1);

        using var process = Process.Start(
            new ProcessStartInfo(promtool!, "check metrics")
            {
                RedirectStandardInput = true,
                RedirectStandardOutput = true,
                RedirectStandardError = true,
            }
        )!;
        await process.StandardInput.WriteAsync(PrometheusText.Write(collector.Collect(), Resource));
        process.StandardInput.Close();
        var said = await process.StandardOutput.ReadToEndAsync() + await process.StandardError.ReadToEndAsync();
        await process.WaitForExitAsync();
        // The runtime's own names (dotnet.timer.count and two more) are what OpenTelemetry's mapping makes of them,
        // though promtool would name them otherwise.
        var faults = said.Split('\n', StringSplitOptions.RemoveEmptyEntries)
            .Where(l => !(l.StartsWith("dotnet_", StringComparison.Ordinal) && l.Contains("\"_count\" suffix")));
        Assert.Empty(faults);
    }
}
