using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;

namespace Pipeline.Worker.Hosting;

/// <summary>What a worker is opened with.</summary>
public sealed record WorkerOptions
{
    /// <summary>The configuration file.</summary>
    public string ConfigurationFile { get; init; } = WorkerDefaults.ConfigurationFile;

    /// <summary>What <c>${VAR}</c> in the configuration stands for; the environment unless set.</summary>
    public IVariableSource Variables { get; init; } = EnvironmentVariables.Instance;

    /// <summary>Where it logs; nowhere unless set.</summary>
    public ILoggerFactory Loggers { get; init; } = NullLoggerFactory.Instance;

    /// <summary>Whether it answers HTTP on the configuration's <c>server.url</c> (databases, health, metrics), from before the import on until it is disposed.</summary>
    public bool Listens { get; init; }

    /// <summary>Where on this machine it answers, and asks nobody who he is, instead of the configuration's <c>server</c>: for tests.</summary>
    public Uri? Url { get; init; }

    /// <summary>Where its data is instead of the configuration's <c>database.path</c>.</summary>
    public string? DataFolder { get; init; }

    /// <summary>Whether its databases are in memory, gone when it is disposed; no folder is looked at then.</summary>
    public bool InMemory { get; init; }

    /// <summary>
    /// How long a query waits, unless it says otherwise, until its index shows all earlier writes; queries over HTTP too.
    /// Null: 15 s within the process, and over HTTP only where a client asks for it.
    /// </summary>
    public TimeSpan? QueryWait { get; init; }

    /// <summary>Connectors that capture messages, for a server in a test's process. Such a worker encrypts nothing, makes no backups and skips unused settings.</summary>
    internal ConnectorCatalog? Captures { get; init; }

    /// <summary>The clock.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;
}
