using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Pipeline.Etl.Runner;

/// <summary>What an <see cref="EtlHost"/> takes from outside. Immutable.</summary>
public sealed record EtlHostOptions
{
    /// <summary>The clock; every wait and every time goes by it.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>Where the host, its tasks and connectors log.</summary>
    public ILoggerFactory Loggers { get; init; } = NullLoggerFactory.Instance;

    /// <summary>How often a task with a <c>maxLag</c> that is to do something is looked at.</summary>
    public TimeSpan CheckInterval { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>Seed of the jitter of waits; give each process its own.</summary>
    public int Seed { get; init; } = 1;
}
