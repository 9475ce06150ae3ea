using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Pipeline.IntegrationTests;

/// <summary>Keeps the messages of all loggers. Thread-safe.</summary>
internal sealed class CapturedLog : ILoggerFactory, ILogger
{
    /// <summary>The messages in the order in which they came.</summary>
    public ConcurrentQueue<string> Messages { get; } = [];

    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider) { }

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(
        LogLevel logLevel,
        EventId eventId,
        TState state,
        Exception? exception,
        Func<TState, Exception?, string> formatter
    ) => Messages.Enqueue(formatter(state, exception));

    public void Dispose() { }
}
