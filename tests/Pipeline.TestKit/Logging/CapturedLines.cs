using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Pipeline.TestKit.Logging;

/// <summary>Keeps everything that loggers of all levels write: messages, values and exceptions. Thread-safe.</summary>
public sealed class CapturedLines : ILoggerFactory, ILogger
{
    /// <summary>The lines in the order in which they came.</summary>
    public ConcurrentQueue<string> Lines { get; } = [];

    /// <summary>The same, as messages with their levels and events.</summary>
    public ConcurrentQueue<CapturedMessage> Messages { get; } = [];

    /// <summary>Which events are kept; null for all.</summary>
    public Func<LogLevel, EventId, bool>? Keeps { get; init; }

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
        if (Keeps?.Invoke(logLevel, eventId) == false)
            return;
        var values = state is IReadOnlyList<KeyValuePair<string, object?>> list
            ? string.Join(',', list)
            : state?.ToString() ?? "";
        var text = formatter(state, exception);
        Messages.Enqueue(new CapturedMessage(logLevel, eventId, text, exception));
        Lines.Enqueue($"{text} | {values} | {exception}\n");
        Written?.Invoke(eventId);
    }

    /// <inheritdoc/>
    public void Dispose() { }
}

/// <summary>A message that was logged.</summary>
/// <param name="Level">How grave it is.</param>
/// <param name="Event">The event.</param>
/// <param name="Text">The message as a person reads it.</param>
/// <param name="Exception">The error that was logged with it.</param>
public sealed record CapturedMessage(LogLevel Level, EventId Event, string Text, Exception? Exception);
