using Microsoft.Extensions.Logging;

namespace Pipeline.Runner.Logging;

/// <summary>Creates loggers with the format of <c>pipeline</c>, for programs that host a worker.</summary>
public static class WorkerLogging
{
    /// <summary>Logs one line per event to a writer: UTC time, level, category and message.</summary>
    /// <param name="writer">The target; locked for each line.</param>
    /// <param name="minimum">The lowest level to log.</param>
    /// <param name="time">The clock; <see langword="null"/> for the system clock.</param>
    public static ILoggerFactory To(TextWriter writer, LogLevel minimum, TimeProvider? time = null) =>
        To(writer, minimum, time, asJson: false);

    /// <summary>
    /// Logs one line with a JSON object per event to a writer, as <c>pipeline --log-format json</c> does.
    /// </summary>
    /// <inheritdoc cref="To(TextWriter, LogLevel, TimeProvider?)"/>
    public static ILoggerFactory ToJson(TextWriter writer, LogLevel minimum, TimeProvider? time = null) =>
        To(writer, minimum, time, asJson: true);

    private static LoggerFactory To(TextWriter writer, LogLevel minimum, TimeProvider? time, bool asJson)
    {
        var target = TextWriter.Synchronized(writer);
#pragma warning disable CA2000 // The factory owns it.
        var lines = new LineLoggerProvider(
            (_, line) => target.WriteLine(line),
            time ?? TimeProvider.System,
            minimum,
            traces: false,
            asJson
        );
#pragma warning restore CA2000
        return new LoggerFactory([lines], Filter(minimum));
    }

    /// <summary>
    /// Logs all events from a level on, except the web host's messages about a failed start: the command's final error
    /// explains it better.
    /// </summary>
    internal static LoggerFilterOptions Filter(LogLevel minimum)
    {
        var options = new LoggerFilterOptions { MinLevel = minimum };
        options.Rules.Add(new LoggerFilterRule(null, "Microsoft.Extensions.Hosting", LogLevel.None, null));
        return options;
    }
}
