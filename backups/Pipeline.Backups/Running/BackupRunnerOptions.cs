using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.Backups.Destinations;

namespace Pipeline.Backups.Running;

/// <summary>What a runner is made with.</summary>
public sealed record BackupRunnerOptions
{
    /// <summary>The clock.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>Where to log.</summary>
    public ILoggerFactory Loggers { get; init; } = NullLoggerFactory.Instance;

    /// <summary>How often something that may succeed later is tried again.</summary>
    public int Retries { get; init; } = 4;

    /// <summary>The first wait before trying again; it doubles.</summary>
    public TimeSpan RetryDelay { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>Where drills restore to; null for the system's folder of temporary files.</summary>
    public string? ScratchFolder { get; init; }

    /// <summary>Puts something between a runner and its destinations, for tests.</summary>
    internal Func<IBackupDestination, IBackupDestination>? Wrap { get; init; }
}
