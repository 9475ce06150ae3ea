using Microsoft.Extensions.Logging;

namespace Pipeline.Etl.Connectors;

/// <summary>
/// One configured connection to a broker, service or folder. Thread-safe; shared by the tasks that name it.
/// </summary>
public interface IConnector : IAsyncDisposable
{
    /// <summary>Makes the sink of one task. Connects to nothing yet.</summary>
    IMessageSink CreateSink(SinkContext context);

    /// <summary>
    /// Asks the target whether it accepts messages now. Throws <see cref="ConnectorException"/> if it does not.
    /// </summary>
    ValueTask CheckHealthAsync(CancellationToken cancellationToken);
}

/// <summary>What a connector needs besides its options.</summary>
/// <param name="Connection">The connection's name in the configuration; errors carry it.</param>
/// <param name="BaseDirectory">The configuration file's folder, which relative paths start at.</param>
/// <param name="Time">The clock.</param>
/// <param name="Loggers">Where the connector logs.</param>
public sealed record ConnectorContext(
    string Connection,
    string BaseDirectory,
    TimeProvider Time,
    ILoggerFactory Loggers
);
