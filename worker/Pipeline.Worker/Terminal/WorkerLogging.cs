using Microsoft.Extensions.Logging;

namespace Pipeline.Worker.Terminal;

/// <summary>Makes loggers that write as <c>pipeline</c> does, for programs that host a worker themselves.</summary>
public static class WorkerLogging
{
    /// <summary>One line an event, UTC time, level, category and message, to a writer.</summary>
    /// <param name="writer">Where to; locked for each line.</param>
    /// <param name="minimum">The lowest level that is written.</param>
    /// <param name="time">The clock; the system's where <see langword="null"/>.</param>
    public static ILoggerFactory To(TextWriter writer, LogLevel minimum, TimeProvider? time = null) => To(writer, minimum, time, asJson: false);

    /// <summary>One JSON object an event and line, as <c>pipeline --log-format json</c> writes it, to a writer.</summary>
    /// <inheritdoc cref="To(TextWriter, LogLevel, TimeProvider?)"/>
    public static ILoggerFactory ToJson(TextWriter writer, LogLevel minimum, TimeProvider? time = null) => To(writer, minimum, time, asJson: true);

    private static LoggerFactory To(TextWriter writer, LogLevel minimum, TimeProvider? time, bool asJson)
    {
        var target = TextWriter.Synchronized(writer);
#pragma warning disable CA2000 // The factory owns it.
        var lines = new LineLoggerProvider((_, line) => target.WriteLine(line), time ?? TimeProvider.System, minimum, traces: false, asJson);
#pragma warning restore CA2000
        return new LoggerFactory([lines], Filter(minimum));
    }

    /// <summary>All from a level up, but for the web host's own words on a start that failed: the error that the command ends with says it better.</summary>
    internal static LoggerFilterOptions Filter(LogLevel minimum)
    {
        var options = new LoggerFilterOptions { MinLevel = minimum };
        options.Rules.Add(new LoggerFilterRule(null, "Microsoft.Extensions.Hosting", LogLevel.None, null));
        return options;
    }
}
