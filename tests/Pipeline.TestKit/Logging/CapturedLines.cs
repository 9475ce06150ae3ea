using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Pipeline.TestKit.Logging;

/// <summary>Keeps everything that loggers of all levels write: messages, values and exceptions. Thread-safe.</summary>
public sealed class CapturedLines : ILoggerFactory, ILogger
{
    /// <summary>The lines in the order in which they came.</summary>
    public ConcurrentQueue<string> Lines { get; } = [];

    /// <summary>Is told the event of each line, once the line is kept.</summary>
    public Action<EventId>? Written { get; init; }

    /// <inheritdoc/>
    public ILogger CreateLogger(string categoryName) => this;

    /// <inheritdoc/>
    public void AddProvider(ILoggerProvider provider) => throw new NotSupportedException();

    /// <inheritdoc/>
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    /// <inheritdoc/>
    public bool IsEnabled(LogLevel logLevel) => true;

    /// <inheritdoc/>
    public void Log<TState>(
        LogLevel logLevel,
        EventId eventId,
        TState state,
        Exception? exception,
        Func<TState, Exception?, string> formatter
    )
    {
        ArgumentNullException.ThrowIfNull(formatter);
        var values = state is IReadOnlyList<KeyValuePair<string, object?>> list
            ? string.Join(',', list)
            : state?.ToString() ?? "";
        Lines.Enqueue($"{formatter(state, exception)} | {values} | {exception}\n");
        Written?.Invoke(eventId);
    }

    /// <inheritdoc/>
    public void Dispose() { }
}
