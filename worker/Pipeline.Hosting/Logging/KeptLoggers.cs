using Microsoft.Extensions.Logging;
using Pipeline.Runner.Logging;

namespace Pipeline.Hosting.Logging;

/// <summary>
/// Loggers that also keep events from the level information on in a <see cref="LogRing"/>. The inner factory stays its
/// owner's.
/// </summary>
internal sealed class KeptLoggers(ILoggerFactory inner, LogRing ring, TimeProvider time) : ILoggerFactory
{
    /// <summary>The events that are kept.</summary>
    public LogRing Ring => ring;

    /// <inheritdoc/>
    public ILogger CreateLogger(string categoryName) =>
        new KeptLogger(inner.CreateLogger(categoryName), this, categoryName);

    /// <inheritdoc/>
    public void AddProvider(ILoggerProvider provider) => inner.AddProvider(provider);

    /// <inheritdoc/>
    public void Dispose() { }

    private sealed class KeptLogger(ILogger inner, KeptLoggers owner, string category) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => inner.BeginScope(state);

        public bool IsEnabled(LogLevel logLevel) => Keeps(logLevel) || inner.IsEnabled(logLevel);

        public void Log<TState>(
            LogLevel logLevel,
            EventId eventId,
            TState state,
            Exception? exception,
            Func<TState, Exception?, string> formatter
        )
        {
            if (inner.IsEnabled(logLevel))
                inner.Log(logLevel, eventId, state, exception, formatter);
            if (Keeps(logLevel))
                owner.Add(logLevel, category, eventId.Id, formatter(state, exception), exception);
        }

        private bool Keeps(LogLevel level) => LineLoggerProvider.IsWanted(category, level, LogLevel.Information);
    }

    private void Add(LogLevel level, string category, int id, string message, Exception? exception) =>
        ring.Add(time.GetUtcNow(), level, category, id, message, exception);
}
