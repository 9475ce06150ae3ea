using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.Backups.Destinations;

namespace Pipeline.Backups;

/// <summary>Options of a runner.</summary>
public sealed record BackupRunnerOptions
{
    /// <summary>The clock.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>The loggers.</summary>
    public ILoggerFactory Loggers { get; init; } = NullLoggerFactory.Instance;

    /// <summary>How many times a transient failure is retried.</summary>
    public int Retries { get; init; } = 4;

    /// <summary>The delay before the first retry; it doubles.</summary>
    public TimeSpan RetryDelay { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>The folder that drills restore to; null for the system's temporary folder.</summary>
    public string? ScratchFolder { get; init; }

    /// <summary>Is told when backups begin and end; null for nobody.</summary>
    internal IBackupWatcher? Watcher { get; init; }

    /// <summary>
    /// Whether the database is a node of a cluster, in which each node continues the backups of all nodes.
    /// </summary>
    internal bool IsShared { get; init; }

    /// <summary>Wraps a runner's destinations, for tests.</summary>
    internal Func<IBackupDestination, IBackupDestination>? Wrap { get; init; }
}

/// <summary>Is told when a service's backups begin and end, in the order of the runs.</summary>
internal interface IBackupWatcher
{
    /// <summary>A backup begins. It contains all that the database has when this completes.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="ct">Cancels the run.</param>
    Task BeginAsync(string name, CancellationToken ct);

    /// <summary>A backup has ended.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="isWhole">Whether it exists at every destination now.</param>
    Task EndAsync(string name, bool isWhole);
}
