using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace Pipeline.Etl;

/// <summary>
/// The meter and the activity source <c>Pipeline.Etl</c>. Every measurement carries the tag <c>pipeline.etl.task</c>.
/// </summary>
internal static class EtlTelemetry
{
    public const string Name = "Pipeline.Etl";
    public const string TaskTag = "pipeline.etl.task";
    public const string ClassTag = "pipeline.etl.error.class";

    public static readonly ActivitySource Activities = new(Name);
    public static readonly Meter Meter = new(Name);
    public static readonly Counter<long> Documents = Meter.CreateCounter<long>(
        "pipeline.etl.documents",
        "{document}",
        "Changes given to the transform."
    );
    public static readonly Counter<long> Filtered = Meter.CreateCounter<long>(
        "pipeline.etl.documents.filtered",
        "{document}",
        "Changes for which the transform sent nothing."
    );
    public static readonly Counter<long> Messages = Meter.CreateCounter<long>(
        "pipeline.etl.messages",
        "{message}",
        "Messages that the target confirmed."
    );
    public static readonly Counter<long> Bytes = Meter.CreateCounter<long>(
        "pipeline.etl.messages.size",
        "By",
        "Bytes of the bodies of confirmed messages."
    );
    public static readonly Counter<long> DeadLetters = Meter.CreateCounter<long>(
        "pipeline.etl.dead_letters",
        "{document}",
        "Dead letters written."
    );
    public static readonly Counter<long> Errors = Meter.CreateCounter<long>(
        "pipeline.etl.errors",
        "{error}",
        "Changes and messages that failed for good, by pipeline.etl.error.class."
    );
    public static readonly Counter<long> Retries = Meter.CreateCounter<long>(
        "pipeline.etl.retries",
        "{retry}",
        "Waits after errors of the target or the transform, by pipeline.etl.error.class."
    );
    public static readonly Histogram<double> SendDuration = Meter.CreateHistogram<double>(
        "pipeline.etl.send.duration",
        "s",
        "Time until the target confirmed a batch."
    );
    public static readonly Histogram<double> ExtractDuration = Meter.CreateHistogram<double>(
        "pipeline.etl.extract.duration",
        "s",
        "Time to read the changes of a batch."
    );
    public static readonly Histogram<double> TransformDuration = Meter.CreateHistogram<double>(
        "pipeline.etl.transform.duration",
        "s",
        "Time to run the transform over a batch."
    );
    public static readonly Histogram<long> BatchSize = Meter.CreateHistogram<long>(
        "pipeline.etl.batch.messages",
        "{message}",
        "Messages in a batch."
    );
}
