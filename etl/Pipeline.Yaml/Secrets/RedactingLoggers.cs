using Microsoft.Extensions.Logging;

namespace Pipeline.Yaml.Secrets;

/// <summary>
/// Loggers that mask secrets before anything reaches the loggers behind. Thread-safe. Owns nothing: the factory behind
/// is not disposed.
/// </summary>
internal sealed class RedactingLoggers(ILoggerFactory inner, SecretValues secrets) : ILoggerFactory
{
    /// <inheritdoc/>
    public ILogger CreateLogger(string categoryName) => new Redacting(inner.CreateLogger(categoryName), secrets);

    /// <inheritdoc/>
    public void AddProvider(ILoggerProvider provider) => inner.AddProvider(provider);

    /// <inheritdoc/>
    public void Dispose() { }

    private sealed class Redacting(ILogger inner, SecretValues secrets) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => inner.BeginScope(state);

        public bool IsEnabled(LogLevel logLevel) => inner.IsEnabled(logLevel);

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
            var text = formatter(state, exception);
            var safe =
                exception is not null && secrets.AreIn(exception.ToString())
                    ? new RedactedException(secrets.Redact(exception.ToString()))
                    : exception;
            if (ReferenceEquals(safe, exception) && !secrets.AreIn(text) && !AreInValues(state))
            {
                inner.Log(logLevel, eventId, state, exception, formatter);
                return;
            }

            var masked = secrets.Redact(text);
            inner.Log(logLevel, eventId, masked, safe, static (s, _) => s);
        }

        // Exporters also get the structured values, so masking the text alone would leak a secret.
        private bool AreInValues<TState>(TState state) =>
            state is IReadOnlyList<KeyValuePair<string, object?>> values
            && values.Any(v => v.Value?.ToString() is { } text && secrets.AreIn(text));
    }
}

/// <summary>Stands for an error whose text held a secret: the text with its trace, the secret masked.</summary>
internal sealed class RedactedException(string text) : Exception(text)
{
    /// <inheritdoc/>
    public override string ToString() => Message;
}
