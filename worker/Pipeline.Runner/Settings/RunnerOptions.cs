using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.Etl.Runner;
using Pipeline.Etl.Transforms;
using Pipeline.Yaml;

namespace Pipeline.Runner;

/// <summary>Where a configuration comes from, and what its database and tasks use.</summary>
public record RunnerOptions
{
    /// <summary>The configuration file that is read unless another is named.</summary>
    internal const string DefaultConfigurationFile = "pipeline.yaml";

    /// <summary>The configuration file.</summary>
    public string ConfigurationFile { get; init; } = DefaultConfigurationFile;

    /// <summary>The values of <c>${VAR}</c> in the configuration; the environment unless set.</summary>
    public IVariableSource Variables { get; init; } = EnvironmentVariables.Instance;

    /// <summary>The loggers; none unless set.</summary>
    public ILoggerFactory Loggers { get; init; } = NullLoggerFactory.Instance;

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

    /// <summary>The clock.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>The options of the host that runs the tasks.</summary>
    internal EtlHostOptions ToTaskOptions() =>
        new()
        {
            Time = Time,
            Loggers = Loggers,
            Seed = Environment.ProcessId,
        };
}
