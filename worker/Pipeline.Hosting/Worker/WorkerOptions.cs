using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Transforms;
using Pipeline.Yaml;

namespace Pipeline.Worker.Hosting;

/// <summary>Options of a worker.</summary>
public sealed record WorkerOptions
{
    /// <summary>The configuration file.</summary>
    public string ConfigurationFile { get; init; } = WorkerDefaults.ConfigurationFile;

    /// <summary>The values of <c>${VAR}</c> in the configuration; the environment unless set.</summary>
    public IVariableSource Variables { get; init; } = EnvironmentVariables.Instance;

    /// <summary>The loggers; none unless set.</summary>
    public ILoggerFactory Loggers { get; init; } = NullLoggerFactory.Instance;

    /// <summary>
    /// Whether it serves HTTP on the configuration's <c>server.url</c> (databases, health, metrics), from before the
    /// import until it is disposed.
    /// </summary>
    public bool Listens { get; init; }

    /// <summary>
    /// A local address to serve, without authentication, instead of the configuration's <c>server</c>: for tests.
    /// </summary>
    public Uri? Url { get; init; }

    /// <summary>The data folder, instead of the configuration's <c>database.path</c>.</summary>
    public string? DataFolder { get; init; }

    /// <summary>Whether its databases exist only in memory until it is disposed; it then uses no folder.</summary>
    public bool InMemory { get; init; }

    /// <summary>
    /// How long a query waits by default until its index includes all earlier writes; also applies to queries over
    /// HTTP. Null: 15 s within the process, and over HTTP only if the client asks for it.
    /// </summary>
    public TimeSpan? QueryWait { get; init; }

    /// <summary>The transforms that are classes of the program, which tasks name with <c>class</c>.</summary>
    public TransformCatalog? Transforms { get; init; }

    /// <summary>
    /// Connectors that capture messages, for a server in a test's process. Such a worker does not encrypt, makes no
    /// backups and ignores unused settings.
    /// </summary>
    internal ConnectorCatalog? Captures { get; init; }

    /// <summary>The clock.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;
}
