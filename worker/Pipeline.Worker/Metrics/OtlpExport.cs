using OpenTelemetry;
using OpenTelemetry.Exporter;
using OpenTelemetry.Metrics;
using OpenTelemetry.Resources;
using OpenTelemetry.Trace;
using Pipeline.Worker.Hosting;

namespace Pipeline.Worker.Metrics;

/// <summary>Sends metrics and traces to an OpenTelemetry collector where the environment names one, in OpenTelemetry's own variables
/// (<c>OTEL_EXPORTER_OTLP_ENDPOINT</c>, or one for each: <c>OTEL_EXPORTER_OTLP_TRACES_ENDPOINT</c>, <c>OTEL_EXPORTER_OTLP_METRICS_ENDPOINT</c>;
/// <c>OTEL_EXPORTER_OTLP_PROTOCOL</c>, <c>OTEL_METRIC_EXPORT_INTERVAL</c>, <c>OTEL_SERVICE_NAME</c> …).</summary>
internal sealed class OtlpExport : IDisposable
{
    private const string Metrics = "METRICS_";
    private const string Traces = "TRACES_";
    private const int LastExportMilliseconds = 1_000;

    private readonly MeterProvider? _meters;
    private readonly TracerProvider? _traces;

    private OtlpExport(bool metrics, bool traces)
    {
        var resource = ResourceBuilder.CreateDefault().AddService("pipeline", serviceVersion: WorkerVersion.Text).AddEnvironmentVariableDetector();
        if (metrics) _meters = Sdk.CreateMeterProviderBuilder().SetResourceBuilder(resource).AddMeter("Pipeline.*", "System.Runtime").AddOtlpExporter(o => Configure(o, Metrics)).Build();
        if (traces) _traces = Sdk.CreateTracerProviderBuilder().SetResourceBuilder(resource).AddSource("Pipeline.*").AddOtlpExporter(o => Configure(o, Traces)).Build();
    }

    /// <summary>Starts what the environment asks for; else <see langword="null"/>.</summary>
    /// <exception cref="WorkerException">A variable's value cannot be used.</exception>
    public static OtlpExport? StartIfConfigured()
    {
        var both = Variable("", "ENDPOINT") is not null;
        var (metrics, traces) = (both || Variable(Metrics, "ENDPOINT") is not null, both || Variable(Traces, "ENDPOINT") is not null);
        return metrics || traces ? new OtlpExport(metrics, traces) : null;
    }

    /// <summary>Sends what is left, for a second at most, and ends.</summary>
    public void Dispose()
    {
        _meters?.Shutdown(LastExportMilliseconds);
        _traces?.Shutdown(LastExportMilliseconds);
        _meters?.Dispose();
        _traces?.Dispose();
    }

    // The exporter itself reads only the variables that hold for both; an endpoint of one signal is taken as it is, without a path behind it.
    private static void Configure(OtlpExporterOptions options, string signal)
    {
        if (Variable(signal, "ENDPOINT") is { } endpoint)
        {
            options.Endpoint = Uri.TryCreate(endpoint, UriKind.Absolute, out var url)
                ? url
                : throw new WorkerException($"OTEL_EXPORTER_OTLP_{signal}ENDPOINT is '{endpoint}', which is no URL", ExitCodes.Usage);
        }

        if (Variable(signal, "HEADERS") is { } headers) options.Headers = headers;
        if (Variable(signal, "PROTOCOL") is { } protocol) options.Protocol = protocol == "grpc" ? OtlpExportProtocol.Grpc : OtlpExportProtocol.HttpProtobuf;
    }

    private static string? Variable(string signal, string name) => Environment.GetEnvironmentVariable($"OTEL_EXPORTER_OTLP_{signal}{name}") is { Length: > 0 } value ? value : null;
}
