using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using OpenTelemetry.Exporter;
using OpenTelemetry.Logs;
using OpenTelemetry.Resources;
using Pipeline.Runner.Logging;

namespace Pipeline.Hosting.Metrics;

/// <summary>
/// Exports log events to an OpenTelemetry collector, at the same levels as standard error. Thread-safe.
/// </summary>
internal sealed class OtlpLogs : ILoggerProvider
{
    private readonly ServiceProvider _services;
    private readonly ILoggerFactory _loggers;
    private readonly LogLevel _minimum;

    /// <summary>Starts to send.</summary>
    public OtlpLogs(ResourceBuilder resource, LogLevel minimum, Action<OtlpExporterOptions> configure)
    {
        _minimum = minimum;
        _services = new ServiceCollection()
            .AddLogging(logging =>
                logging
                    .SetMinimumLevel(LogLevel.Trace)
                    .AddOpenTelemetry(options =>
                    {
                        options.SetResourceBuilder(resource);
                        options.IncludeFormattedMessage = true;
                        options.ParseStateValues = true;
                        options.AddOtlpExporter(configure);
                    })
            )
            .BuildServiceProvider();
        _loggers = _services.GetRequiredService<ILoggerFactory>();
    }

    /// <inheritdoc/>
    public ILogger CreateLogger(string categoryName) =>
        new Wanted(this, categoryName, _loggers.CreateLogger(categoryName));

    /// <summary>Exports the rest within a time limit.</summary>
    public void Shutdown(int milliseconds) => _services.GetRequiredService<LoggerProvider>().Shutdown(milliseconds);

    /// <inheritdoc/>
    public void Dispose() => _services.Dispose();

    private sealed class Wanted(OtlpLogs owner, string category, ILogger inner) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => inner.BeginScope(state);

        public bool IsEnabled(LogLevel logLevel) => LineLoggerProvider.IsWanted(category, logLevel, owner._minimum);

        public void Log<TState>(
            LogLevel logLevel,
            EventId eventId,
            TState state,
            Exception? exception,
            Func<TState, Exception?, string> formatter
        )
        {
            if (IsEnabled(logLevel))
                inner.Log(logLevel, eventId, state, exception, formatter);
        }
    }
}
