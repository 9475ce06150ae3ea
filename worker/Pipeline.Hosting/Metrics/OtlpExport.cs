using Microsoft.Extensions.Logging;
using OpenTelemetry;
using OpenTelemetry.Exporter;
using OpenTelemetry.Metrics;
using OpenTelemetry.Resources;
using OpenTelemetry.Trace;
using Pipeline.Hosting.Logging;

namespace Pipeline.Hosting.Metrics;

/// <summary>Sends metrics, traces and logs to an OpenTelemetry collector if the environment names one, in
/// OpenTelemetry's variables (<c>OTEL_EXPORTER_OTLP_ENDPOINT</c>, or one for each:
/// <c>OTEL_EXPORTER_OTLP_TRACES_ENDPOINT</c>, <c>OTEL_EXPORTER_OTLP_METRICS_ENDPOINT</c>,
/// <c>OTEL_EXPORTER_OTLP_LOGS_ENDPOINT</c>;
/// <c>OTEL_EXPORTER_OTLP_PROTOCOL</c>, <c>OTEL_METRIC_EXPORT_INTERVAL</c>, <c>OTEL_SERVICE_NAME</c> …).</summary>
internal sealed class OtlpExport : IDisposable
{
    private const string Metrics = "METRICS_";
    private const string Traces = "TRACES_";
    private const string Logs = "LOGS_";
    private const int LastExportMilliseconds = 1_000;

    private readonly MeterProvider? _meters;
    private readonly TracerProvider? _traces;

    private readonly OtlpLogs? _logs;

    private OtlpExport(bool metrics, bool traces, LogLevel? logs)
    {
        var resource = ResourceBuilder
            .CreateDefault()
            .AddService("pipeline", serviceVersion: WorkerVersion.Text)
            .AddEnvironmentVariableDetector();
        if (metrics)
        {
            _meters = Sdk.CreateMeterProviderBuilder()
                .SetResourceBuilder(resource)
                .AddMeter("Pipeline.*", "System.Runtime")
                .AddOtlpExporter(o => Configure(o, Metrics))
                .Build();
        }

        if (traces)
        {
            _traces = Sdk.CreateTracerProviderBuilder()
                .SetResourceBuilder(resource)
                .AddSource("Pipeline.*")
                .AddOtlpExporter(o => Configure(o, Traces))
                .Build();
        }

        if (logs is { } minimum)
            _logs = new OtlpLogs(resource, minimum, o => Configure(o, Logs));
    }

    /// <summary>Starts the export if the environment asks for it; otherwise returns <see langword="null"/>.</summary>
    /// <param name="loggers">The factory whose events are sent.</param>
    /// <param name="minimum">The lowest level of those events.</param>
    /// <exception cref="WorkerException">A variable's value cannot be used.</exception>
    public static OtlpExport? StartIfConfigured(ILoggerFactory loggers, LogLevel minimum)
    {
        var all = Variable("", "ENDPOINT") is not null;
        var (metrics, traces, logs) = (
            all || Variable(Metrics, "ENDPOINT") is not null,
            all || Variable(Traces, "ENDPOINT") is not null,
            all || Variable(Logs, "ENDPOINT") is not null
        );
        if (!metrics && !traces && !logs)
            return null;
        var export = new OtlpExport(metrics, traces, logs && minimum != LogLevel.None ? minimum : null);
        if (export._logs is { } provider)
            loggers.AddProvider(provider);
        return export;
    }

    /// <summary>
    /// Exports the rest of each signal, for at most one second, and stops. The logger factory disposes the log
    /// provider.
    /// </summary>
    public void Dispose()
    {
        _meters?.Shutdown(LastExportMilliseconds);
        _traces?.Shutdown(LastExportMilliseconds);
        _logs?.Shutdown(LastExportMilliseconds);
        _meters?.Dispose();
        _traces?.Dispose();
    }

    // The exporter itself reads only the variables for all signals. An endpoint for one signal is used unchanged,
    // without appending a path.
    private static void Configure(OtlpExporterOptions options, string signal)
    {
        if (Variable(signal, "ENDPOINT") is { } endpoint)
        {
            options.Endpoint = Uri.TryCreate(endpoint, UriKind.Absolute, out var url)
                ? url
                : throw new WorkerException(
                    $"OTEL_EXPORTER_OTLP_{signal}ENDPOINT is '{endpoint}', which is not a URL",
                    ExitCodes.Usage
                );
        }

        if (Variable(signal, "HEADERS") is { } headers)
            options.Headers = headers;
        if (Variable(signal, "PROTOCOL") is { } protocol)
            options.Protocol = protocol == "grpc" ? OtlpExportProtocol.Grpc : OtlpExportProtocol.HttpProtobuf;
    }

    private static string? Variable(string signal, string name) =>
        Environment.GetEnvironmentVariable($"OTEL_EXPORTER_OTLP_{signal}{name}") is { Length: > 0 } value
            ? value
            : null;
}
