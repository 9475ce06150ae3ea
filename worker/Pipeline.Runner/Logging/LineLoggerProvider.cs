using System.Collections.Concurrent;
using System.Globalization;
using System.Text;
using Microsoft.Extensions.Logging;

namespace Pipeline.Runner.Logging;

/// <summary>
/// Logs one line per event: UTC time, level, category, message; an exception's stack trace only on request.
/// </summary>
/// <remarks>Thread-safe. With <paramref name="asJson"/> each line is a JSON object (<see cref="JsonLogLine"/>).
/// Otherwise a line feed in a message is written as
/// <c>\n</c>: one event is one line.</remarks>
internal sealed class LineLoggerProvider(
    Action<LogLevel, string> write,
    TimeProvider time,
    LogLevel minimum,
    bool traces,
    bool asJson = false
) : ILoggerProvider
{
    private readonly ConcurrentDictionary<string, ILogger> _loggers = new(StringComparer.Ordinal);

    /// <inheritdoc/>
    public ILogger CreateLogger(string categoryName) =>
        _loggers.GetOrAdd(categoryName, name => new LineLogger(this, name));

    /// <inheritdoc/>
    public void Dispose() => _loggers.Clear();

    /// <summary>
    /// Whether to log events of a level and category. Those of ASP.NET Core are logged only from warnings on, unless
    /// debugging.
    /// </summary>
    public static bool IsWanted(string category, LogLevel level, LogLevel minimum) =>
        level != LogLevel.None
        && level >= minimum
        && (
            level >= LogLevel.Warning
            || minimum <= LogLevel.Debug
            || !category.StartsWith("Microsoft.", StringComparison.Ordinal)
        );

    /// <summary>A level as a word.</summary>
    public static string Word(LogLevel level) =>
        level switch
        {
            LogLevel.Trace => "trace",
            LogLevel.Debug => "debug",
            LogLevel.Information => "info",
            LogLevel.Warning => "warn",
            LogLevel.Error => "error",
            _ => "fatal",
        };

    private sealed class LineLogger(LineLoggerProvider provider, string category) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => IsWanted(category, logLevel, provider.Minimum);

        public void Log<TState>(
            LogLevel logLevel,
            EventId eventId,
            TState state,
            Exception? exception,
            Func<TState, Exception?, string> formatter
        )
        {
            if (!IsEnabled(logLevel))
                return;
            if (provider.AsJson)
            {
                provider.Write(
                    logLevel,
                    JsonLogLine.Of(
                        provider.Time.GetUtcNow(),
                        logLevel,
                        category,
                        eventId,
                        formatter(state, exception),
                        state as IReadOnlyList<KeyValuePair<string, object?>>,
                        exception,
                        provider.Traces
                    )
                );
                return;
            }
            var line = new StringBuilder(160);
            line.Append(
                    provider.Time.GetUtcNow().ToString("yyyy-MM-dd'T'HH:mm:ss.fff'Z'", CultureInfo.InvariantCulture)
                )
                .Append(' ')
                .Append(Word(logLevel).PadRight(5))
                .Append(' ')
                .Append(category)
                .Append(": ")
                .Append(OneLine(formatter(state, exception)));
            if (exception is not null)
            {
                line.Append(
                    provider.Traces
                        ? Environment.NewLine + exception
                        : " (" + exception.GetType().Name + ": " + OneLine(exception.Message) + ")"
                );
            }

            provider.Write(logLevel, line.ToString());
        }

        private static string OneLine(string text) =>
            text.Contains('\n', StringComparison.Ordinal) ? text.ReplaceLineEndings("\\n") : text;
    }

    private LogLevel Minimum => minimum;

    private bool AsJson => asJson;

    private TimeProvider Time => time;

    private bool Traces => traces;

    private void Write(LogLevel level, string line) => write(level, line);
}
