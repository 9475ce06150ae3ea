using System.Collections.Concurrent;
using System.Globalization;
using System.Text;
using Microsoft.Extensions.Logging;

namespace Pipeline.Worker.Terminal;

/// <summary>Logs one line an event: UTC time, level, category, message; the trace of an exception only where it was asked for.</summary>
/// <remarks>Thread-safe. A line feed in a message is written as <c>\n</c>, so that one event is one line whatever a broker or a document says.</remarks>
internal sealed class LineLoggerProvider(Action<LogLevel, string> write, TimeProvider time, LogLevel minimum, bool traces) : ILoggerProvider
{
    private readonly ConcurrentDictionary<string, ILogger> _loggers = new(StringComparer.Ordinal);

    /// <inheritdoc/>
    public ILogger CreateLogger(string categoryName) => _loggers.GetOrAdd(categoryName, name => new LineLogger(this, name));

    /// <inheritdoc/>
    public void Dispose() => _loggers.Clear();

    /// <summary>Whether events of that level of that category are written: those of ASP.NET Core only from warnings on, unless debugging.</summary>
    private bool IsWanted(string category, LogLevel level) =>
        level != LogLevel.None && level >= minimum
        && (level >= LogLevel.Warning || minimum <= LogLevel.Debug || !category.StartsWith("Microsoft.", StringComparison.Ordinal));

    private sealed class LineLogger(LineLoggerProvider provider, string category) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => provider.IsWanted(category, logLevel);

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            if (!provider.IsWanted(category, logLevel))
                return;
            var line = new StringBuilder(160);
            line.Append(provider.Time.GetUtcNow().ToString("yyyy-MM-dd'T'HH:mm:ss.fff'Z'", CultureInfo.InvariantCulture))
                .Append(' ').Append(Word(logLevel)).Append(' ').Append(category).Append(": ")
                .Append(OneLine(formatter(state, exception)));
            if (exception is not null)
                line.Append(provider.Traces ? Environment.NewLine + exception : " (" + exception.GetType().Name + ": " + OneLine(exception.Message) + ")");
            provider.Write(logLevel, line.ToString());
        }

        private static string OneLine(string text) =>
            text.Contains('\n', StringComparison.Ordinal) ? text.ReplaceLineEndings("\\n") : text;

        private static string Word(LogLevel level) => level switch
        {
            LogLevel.Trace => "trace",
            LogLevel.Debug => "debug",
            LogLevel.Information => "info ",
            LogLevel.Warning => "warn ",
            LogLevel.Error => "error",
            _ => "fatal",
        };
    }

    private TimeProvider Time => time;

    private bool Traces => traces;

    private void Write(LogLevel level, string line) => write(level, line);
}
