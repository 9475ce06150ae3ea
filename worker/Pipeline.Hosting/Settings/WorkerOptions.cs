using Pipeline.Cluster;
using Pipeline.Etl.Connectors;

namespace Pipeline.Hosting;

/// <summary>Options of a worker.</summary>
public sealed record WorkerOptions : RunnerOptions
{
    /// <summary>
    /// Whether it serves HTTP on the configuration's <c>server.url</c> (databases, health, metrics), from before the
    /// import until it is disposed.
    /// </summary>
    public bool Listens { get; init; }

    /// <summary>
    /// A local address to serve, without authentication, instead of the configuration's <c>server</c>: for tests.
    /// </summary>
    public Uri? Url { get; init; }

    /// <summary>
    /// Connectors that capture messages, for a server in a test's process. Such a worker does not encrypt, makes no
    /// backups and ignores unused settings.
    /// </summary>
    internal ConnectorCatalog? Captures { get; init; }

    /// <summary>The newest format of a cluster's log that it knows, for tests.</summary>
    internal int LogFormat { get; init; } = NodeOptions.NewestFormat;
}
