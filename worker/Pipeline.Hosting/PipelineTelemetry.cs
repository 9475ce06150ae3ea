using OpenTelemetry;

namespace Pipeline.Hosting;

/// <summary>Adds Pipeline's traces and metrics to an application's OpenTelemetry.</summary>
public static class PipelineTelemetry
{
    /// <summary>The names of all activity sources.</summary>
    internal static readonly string[] ActivitySources = ["Pipeline.Akka.Persistence", "Pipeline.Etl"];

    /// <summary>The names of all meters.</summary>
    internal static readonly string[] Meters =
    [
        "Pipeline.Akka.Persistence",
        "Pipeline.Backups",
        "Pipeline.Cluster",
        "Pipeline.Database",
        "Pipeline.Etl",
        "Pipeline.Server",
        "Pipeline.Storage",
        "Pipeline.Subscriptions",
    ];

    /// <summary>
    /// Adds all activity sources and meters of Pipeline. The environment's <c>OTEL_…</c> variables and the exporters
    /// are the application's; the worker itself exports nothing.
    /// </summary>
    /// <param name="builder">The application's OpenTelemetry.</param>
    public static IOpenTelemetryBuilder WithPipeline(this IOpenTelemetryBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder
            .WithTracing(tracing => tracing.AddSource(ActivitySources))
            .WithMetrics(metrics => metrics.AddMeter(Meters));
    }
}
