using OpenTelemetry;
using OpenTelemetry.Metrics;
using OpenTelemetry.Resources;
using OpenTelemetry.Trace;

namespace Pipeline.Worker.Metrics;

/// <summary>Sends metrics and traces to an OpenTelemetry collector where the environment names one, in OpenTelemetry's own variables
/// (<c>OTEL_EXPORTER_OTLP_ENDPOINT</c>, <c>OTEL_EXPORTER_OTLP_PROTOCOL</c>, <c>OTEL_METRIC_EXPORT_INTERVAL</c>, <c>OTEL_SERVICE_NAME</c> …).</summary>
internal sealed class OtlpExport : IDisposable
{
    /// <summary>The variable that turns it on.</summary>
    public const string EndpointVariable = "OTEL_EXPORTER_OTLP_ENDPOINT";

    private const int LastExportMilliseconds = 1_000;

    private readonly MeterProvider _meters;
    private readonly TracerProvider _traces;

    private OtlpExport()
    {
        var resource = ResourceBuilder.CreateDefault().AddService("pipeline", serviceVersion: WorkerVersion.Text).AddEnvironmentVariableDetector();
        _meters = Sdk.CreateMeterProviderBuilder().SetResourceBuilder(resource).AddMeter("Pipeline.*", "System.Runtime").AddOtlpExporter().Build();
        _traces = Sdk.CreateTracerProviderBuilder().SetResourceBuilder(resource).AddSource("Pipeline.*").AddOtlpExporter().Build();
    }

    /// <summary>Starts it where the environment asks for it; else <see langword="null"/>.</summary>
    public static OtlpExport? StartIfConfigured() =>
        string.IsNullOrEmpty(Environment.GetEnvironmentVariable(EndpointVariable)) ? null : new OtlpExport();

    /// <summary>Sends what is left, for a second at most, and ends.</summary>
    public void Dispose()
    {
        _meters.Shutdown(LastExportMilliseconds);
        _traces.Shutdown(LastExportMilliseconds);
        _meters.Dispose();
        _traces.Dispose();
    }
}
