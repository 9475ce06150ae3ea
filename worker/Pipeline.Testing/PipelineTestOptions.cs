using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.Etl.Configuration;

namespace Pipeline.Testing;

/// <summary>What a test's server begins with. Nothing needs to be set.</summary>
public sealed record PipelineTestOptions
{
    /// <summary>The text of a <c>pipeline.yaml</c>; one with a database alone where this and <see cref="ConfigurationFile"/> are null.</summary>
    public string? Configuration { get; init; }

    /// <summary>A <c>pipeline.yaml</c>, the one of production for example: where it listens, keeps its data, sends and backs up to is not used.</summary>
    public string? ConfigurationFile { get; init; }

    /// <summary>What <c>${VAR}</c> in it stands for; the environment unless set. Variables and secrets in <c>connections</c>, <c>server</c>, <c>backups</c>,
    /// <c>secrets</c> and where the database lies need not be there.</summary>
    public IVariableSource Variables { get; init; } = EnvironmentVariables.Instance;

    /// <summary>Whether the data is in a temporary folder, removed at disposal, instead of memory.</summary>
    public bool OnDisk { get; init; }

    /// <summary>Whether every ETL task begins paused, for tests that step it.</summary>
    public bool TasksPaused { get; init; }

    /// <summary>The clock, to be moved by the test.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>How long queries wait at most for their indexes to show what the test has written.</summary>
    public TimeSpan QueryWait { get; init; } = TimeSpan.FromSeconds(15);

    /// <summary>Where it logs; nowhere unless set.</summary>
    public ILoggerFactory Loggers { get; init; } = NullLoggerFactory.Instance;
}
