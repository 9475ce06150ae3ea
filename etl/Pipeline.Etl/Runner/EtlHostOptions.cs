using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Pipeline.Etl.Runner;

/// <summary>The options of an <see cref="EtlHost"/>. Immutable.</summary>
public sealed record EtlHostOptions
{
    /// <summary>The clock of every wait and every time.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>Where the host, its tasks and connectors log.</summary>
    public ILoggerFactory Loggers { get; init; } = NullLoggerFactory.Instance;

    /// <summary>How often the lag of a task is checked if it has a <c>maxLag</c> with an action.</summary>
    public TimeSpan CheckInterval { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>The seed of the jitter of waits. Use a different one in each process.</summary>
    public int Seed { get; init; } = 1;
}
