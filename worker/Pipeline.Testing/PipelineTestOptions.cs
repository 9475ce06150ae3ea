using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.Etl.Transforms;
using Pipeline.Yaml;

namespace Pipeline.Testing;

/// <summary>Options of a test's server. All are optional.</summary>
public sealed record PipelineTestOptions
{
    /// <summary>
    /// The text of a <c>pipeline.yaml</c>. If this and <see cref="ConfigurationFile"/> are null, the configuration has
    /// only a database.
    /// </summary>
    public string? Configuration { get; init; }

    /// <summary>
    /// A <c>pipeline.yaml</c>, such as the one of production: its addresses, data folder, targets and backup
    /// destinations are not used.
    /// </summary>
    public string? ConfigurationFile { get; init; }

    /// <summary>
    /// The values of <c>${VAR}</c> in the configuration; the environment unless set. Variables and secrets in
    /// <c>connections</c>, <c>server</c>, <c>backups</c>,
    /// <c>secrets</c> and the database's location may be missing.
    /// </summary>
    public IVariableSource Variables { get; init; } = EnvironmentVariables.Instance;

    /// <summary>The transforms that are classes of the program, which tasks name with <c>class</c>.</summary>
    public TransformCatalog? Transforms { get; init; }

    /// <summary>Whether the data is in a temporary folder, removed at disposal, instead of in memory.</summary>
    public bool OnDisk { get; init; }

    /// <summary>Whether every ETL task starts paused, for tests that step it.</summary>
    public bool TasksPaused { get; init; }

    /// <summary>The clock, which the test may move.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>How long queries wait at most until their indexes include the test's writes.</summary>
    public TimeSpan QueryWait { get; init; } = TimeSpan.FromSeconds(15);

    /// <summary>The loggers; none unless set.</summary>
    public ILoggerFactory Loggers { get; init; } = NullLoggerFactory.Instance;
}
