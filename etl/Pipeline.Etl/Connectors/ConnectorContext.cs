using Microsoft.Extensions.Logging;

namespace Pipeline.Etl.Connectors;

/// <summary>What a connector is made from, besides its options.</summary>
/// <param name="Connection">The connection's name in the configuration; errors carry it.</param>
/// <param name="BaseDirectory">The configuration file's folder, which relative paths start from.</param>
/// <param name="Time">The clock.</param>
/// <param name="Loggers">Where the connector logs.</param>
public sealed record ConnectorContext(
    string Connection,
    string BaseDirectory,
    TimeProvider Time,
    ILoggerFactory Loggers
);
