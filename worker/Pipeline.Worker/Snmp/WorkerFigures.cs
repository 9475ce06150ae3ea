using System.Globalization;
using Pipeline.Backups;
using Pipeline.Hosting;
using Pipeline.Hosting.Cluster;
using Pipeline.Hosting.Tasks;

namespace Pipeline.Worker.Snmp;

/// <summary>The state of a worker at one moment, from its HTTP answers. What it did not answer is missing.</summary>
/// <param name="At">The moment.</param>
/// <param name="Problem">Why figures are missing; empty if none are.</param>
internal sealed record WorkerFigures(DateTimeOffset At, string Problem)
{
    /// <summary>Whether the worker answered.</summary>
    public bool IsUp { get; init; }

    /// <summary>Its metrics.</summary>
    public MetricsText? Metrics { get; init; }

    /// <summary>Its health, with the checks if the agent may see them.</summary>
    public ReadinessReport? Health { get; init; }

    /// <summary>Its own database.</summary>
    public DatabaseView? Own { get; init; }

    /// <summary>The databases that it serves, by name.</summary>
    public IReadOnlyList<DatabaseFigures> Databases { get; init; } = [];

    /// <summary>Its tasks, by name.</summary>
    public IReadOnlyList<TaskView> Tasks { get; init; } = [];

    /// <summary>The subscriptions of the worker's database, by name.</summary>
    public IReadOnlyList<SubscriptionView> Subscriptions { get; init; } = [];

    /// <summary>Its backups, by name and destination.</summary>
    public IReadOnlyList<BackupStatus> Backups { get; init; } = [];

    /// <summary>Its cluster; <see langword="null"/> if it is alone.</summary>
    public ClusterView? Cluster { get; init; }

    /// <summary>The checks of its health that fail.</summary>
    public IReadOnlyList<ReadinessCheck>? FailedChecks => Health?.Checks?.Where(c => !c.Ok).ToList();

    /// <summary>The time since its process began.</summary>
    public TimeSpan? Uptime =>
        DateTimeOffset.TryParse(
            Metrics?.Label("target_info", "process_creation_time"),
            CultureInfo.InvariantCulture,
            out var began
        )
            ? At - began
            : null;

    /// <summary>The node that answered.</summary>
    public NodeView? Node => Cluster?.Nodes.FirstOrDefault(n => n.Node == Cluster.AskedNode);

    /// <summary>The seconds from a time until these figures were read.</summary>
    public double? SecondsSince(DateTimeOffset? time) => (At - time)?.TotalSeconds;
}

/// <summary>A database that the worker serves.</summary>
/// <param name="Name">Its name.</param>
/// <param name="IsDisabled">Whether it is disabled. It has no other figures then.</param>
internal sealed record DatabaseFigures(string Name, bool IsDisabled)
{
    /// <summary>Its documents.</summary>
    public long? Documents { get; init; }

    /// <summary>Its tombstones.</summary>
    public long? Tombstones { get; init; }

    /// <summary>Its last position.</summary>
    public long? Position { get; init; }

    /// <summary>Bytes of its data file.</summary>
    public long? Size { get; init; }

    /// <summary>Its indexes.</summary>
    public long? Indexes { get; init; }
}
