using System.Diagnostics.Metrics;
using System.Reflection;
using System.Runtime.CompilerServices;
using Pipeline.Hosting.Metrics;
using Xunit;

namespace Pipeline.Tests.Guides.Reference;

/// <summary>docs/reference/metrics.md matches the instruments of the program.</summary>
public sealed class MetricsPageTests
{
    private static readonly string[] Projects =
    [
        "Pipeline.Storage",
        "Pipeline.Documents",
        "Pipeline.Database",
        "Pipeline.Subscriptions",
        "Pipeline.Etl",
        "Pipeline.Backups",
        "Pipeline.Server",
        "Pipeline.Akka.Persistence",
    ];

    private static readonly string[][] Labels =
    [
        ["Pipeline.Storage", "`pipeline_store`: the folder of the store"],
        ["Pipeline.Database", "`pipeline_database`; with it `pipeline_index` or `pipeline_consumer`"],
        ["Pipeline.Subscriptions", "`pipeline_database`, `pipeline_subscription`"],
        ["Pipeline.Etl", "`pipeline_etl_task`"],
        ["Pipeline.Backups", "`pipeline_database`, `pipeline_backup`, `pipeline_backup_destination`"],
        ["Pipeline.Akka.Persistence", "`pipeline_plugin`"],
    ];

    [Fact]
    public void The_page_is_up_to_date()
    {
        var page = new ReferencePage("metrics.md", "Metrics");
        page.Prose(
            "The worker serves these metrics at `/metrics` in Prometheus' format. "
                + "It also exports them by OTLP if the variable `OTEL_EXPORTER_OTLP_ENDPOINT` is set. "
                + "The metrics of the .NET runtime (`System.Runtime`) are served too. "
                + "A counter counts since the start of the process."
        );
        page.Table(["meter", "labels"], Labels.Select(l => new[] { $"`{l[0]}`", l[1] }));
        foreach (
            var meter in Published()
                .GroupBy(i => i.Meter.Name, StringComparer.Ordinal)
                .OrderBy(g => g.Key, StringComparer.Ordinal)
        )
        {
            page.Heading(2, meter.Key);
            page.Table(
                ["metric", "instrument", "kind", "unit", "meaning"],
                meter.OrderBy(i => i.Name, StringComparer.Ordinal).Select(Row)
            );
        }
        page.Check();
    }

    [Fact]
    public void Every_metric_has_a_description_that_is_a_sentence() =>
        Assert.All(Published(), i => Assert.EndsWith(".", i.Description, StringComparison.Ordinal));

    private static string[] Row(Instrument instrument)
    {
        var state = new InstrumentState(instrument);
        return
        [
            $"`{state.Name}`",
            $"`{instrument.Name}`",
            state.Kind.ToString().ToLowerInvariant(),
            $"{instrument.Unit}",
            instrument.Description!,
        ];
    }

    /// <summary>All instruments of Pipeline. They are static, and exist once their class is used.</summary>
    private static List<Instrument> Published()
    {
        foreach (var type in Projects.Select(Assembly.Load).SelectMany(a => a.GetTypes()).Where(IsMetrics))
            RuntimeHelpers.RunClassConstructor(type.TypeHandle);
        var found = new List<Instrument>();
        using var listener = new MeterListener { InstrumentPublished = (instrument, _) => Add(instrument) };
        listener.Start();
        lock (found)
            return [.. found.DistinctBy(i => (i.Meter.Name, i.Name))];

        void Add(Instrument instrument)
        {
            if (!Projects.Contains(instrument.Meter.Name))
                return;
            lock (found)
                found.Add(instrument);
        }
    }

    private static bool IsMetrics(Type type) =>
        type is { IsAbstract: true, IsSealed: true }
        && (
            type.Name.EndsWith("Metrics", StringComparison.Ordinal)
            || type.Name.EndsWith("Telemetry", StringComparison.Ordinal)
            || type.Name.EndsWith("Gauges", StringComparison.Ordinal)
        );
}
