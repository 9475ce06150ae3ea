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

    /// <summary>How often the lag of a task is checked if it has a <c>maxLag</c> with an action.</summary>
    public TimeSpan CheckInterval { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>Seed of the jitter of waits; give each process its own.</summary>
    public int Seed { get; init; } = 1;
}
