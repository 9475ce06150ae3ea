using System.Text;
using Pipeline.Backups;
using Pipeline.Hosting;
using Pipeline.Hosting.Cluster;
using Pipeline.Hosting.Tasks;

namespace Pipeline.Worker.Snmp;

/// <summary>
/// The objects of PIPELINE-MIB: number, name and syntax of each, and how it is read. A test holds the MIB file to it.
/// </summary>
internal static class WorkerMib
{
    /// <summary>
    /// Where the MIB is unless told otherwise: below netSnmpPassExamples of net-snmp, which is for examples. No number
    /// is registered for Pipeline.
    /// </summary>
    public const string DefaultBase = "1.3.6.1.4.1.8072.2.255.8080";

    /// <summary>The number of the objects below the MIB's own identifier.</summary>
    public const uint ObjectsNumber = 1;

    private const string Enterprises = "1.3.6.1.4.1";
    private const double KiB = 1024;
    private const double MiB = 1024 * KiB;
    private const double SecondsPerMinute = 60;
    private const double MillisecondsPerSecond = 1000;

    /// <summary>All objects.</summary>
    public static IReadOnlyList<SnmpGroup> Groups { get; } =
    [Worker(), Databases(), Tasks(), Subscriptions(), Backups(), Cluster()];

    /// <summary>The values of all objects.</summary>
    /// <param name="at">The MIB's identifier.</param>
    /// <param name="figures">What the values are read from.</param>
    public static SnmpTree Read(ObjectId at, WorkerFigures figures)
    {
        var objects = at.Below(ObjectsNumber);
        return new SnmpTree(Groups.SelectMany(g => g.Read(objects, figures)));
    }

    /// <summary>The MIB file for an identifier.</summary>
    public static string TextAt(ObjectId at)
    {
        using var stream = typeof(WorkerMib).Assembly.GetManifestResourceStream("PIPELINE-MIB.txt")!;
        using var reader = new StreamReader(stream, Encoding.UTF8);
        return reader
            .ReadToEnd()
            .Replace(
                PlaceOf(ObjectId.TryParse(DefaultBase, out var usual) ? usual : at),
                PlaceOf(at),
                StringComparison.Ordinal
            );
    }

    private static string PlaceOf(ObjectId id) =>
        ObjectId.TryParse(Enterprises, out var enterprises) && id.IsBelow(enterprises)
            ? $"::= {{ enterprises {id.Join(enterprises.Length, " ")} }}"
            : $"::= {{ iso {id.Join(1, " ")} }}";

    private static SnmpGroup<WorkerFigures> Worker() =>
        new SnmpGroup<WorkerFigures>(1, "pipelineWorker", isTable: false, f => [f])
            .Truth(1, "Up", f => f.IsUp)
            .Text(2, "Problem", f => f.Problem)
            .Text(3, "Version", f => f.Metrics?.Label("target_info", "service_version"))
            .Ticks(4, "Uptime", f => f.Uptime)
            .Word(5, "Health", ["ready", "degraded", "unready"], f => f.Health?.Status)
            .Gauge(6, "FailedChecks", f => f.FailedChecks?.Count)
            .Text(
                7,
                "HealthDetail",
                f =>
                    f.FailedChecks is { } failed ? string.Join("; ", failed.Select(c => $"{c.Name}: {c.Detail}")) : null
            )
            .Gauge(8, "Memory", f => f.Metrics?.Least("dotnet_process_memory_working_set_bytes") / KiB)
            .Counter(
                9,
                "ProcessorTime",
                f => (long?)(f.Metrics?.Sum("dotnet_process_cpu_time_seconds_total") * MillisecondsPerSecond)
            )
            .Counter(10, "Requests", f => Total(f, "pipeline_server_requests_total"))
            .Counter(
                11,
                "RequestErrors",
                f => Total(f, "pipeline_server_requests_total", "http_response_status_code=\"5")
            )
            .Counter(12, "Queries", f => Total(f, "pipeline_server_query_duration_seconds_count"))
            .Counter(13, "Writes", f => Total(f, "pipeline_storage_operations_total"))
            .Counter(14, "RefusedWrites", f => Total(f, "pipeline_storage_refusals_total"))
            .Gauge(15, "DataSize", f => f.Metrics?.Sum("pipeline_storage_data_size_bytes") / KiB)
            .Gauge(16, "JournalSize", f => f.Metrics?.Sum("pipeline_storage_journal_unflushed_bytes") / KiB)
            .Gauge(17, "DiskFree", f => f.Metrics?.Least("pipeline_storage_disk_free_bytes") / MiB)
            .Counter(18, "LastPosition", f => f.Own?.LastPosition)
            .Gauge(19, "Readers", f => f.Metrics?.Sum("pipeline_storage_readers"))
            .Gauge(20, "OldestReader", f => f.Metrics?.Most("pipeline_storage_reader_age_seconds"))
            .Gauge(21, "DamagedPages", f => f.Metrics?.Sum("pipeline_storage_pages_damaged"))
            .Gauge(22, "DeadLetters", f => f.Metrics?.Sum("pipeline_etl_dead_letters_stored"))
            .Gauge(23, "IndexLag", f => f.Metrics?.Most("pipeline_index_lag"))
            .Counter(24, "IndexErrors", f => Total(f, "pipeline_index_errors_total"));

    private static SnmpGroup<DatabaseFigures> Databases() =>
        new SnmpGroup<DatabaseFigures>(2, "pipelineDatabase", isTable: true, f => f.Databases)
            .Text(2, "Name", d => d.Name)
            .Word(3, "State", ["online", "disabled"], d => d.IsDisabled ? "disabled" : "online")
            .Gauge(4, "Documents", d => d.Documents)
            .Gauge(5, "Tombstones", d => d.Tombstones)
            .Counter(6, "Position", d => d.Position)
            .Gauge(7, "Size", d => d.Size / KiB)
            .Gauge(8, "Indexes", d => d.Indexes);

    private static SnmpGroup<TaskView> Tasks() =>
        new SnmpGroup<TaskView>(3, "pipelineTask", isTable: true, f => f.Tasks)
            .Text(2, "Name", t => t.Name)
            .Text(3, "Connection", t => t.Connection)
            .Word(
                4,
                "State",
                ["starting", "running", "idle", "retrying", "failed", "stopped", "blocked", "disabled"],
                t => t.State
            )
            .Counter(5, "Documents", t => t.Documents)
            .Counter(6, "Messages", t => t.Messages)
            .Counter(7, "Bytes", t => t.Bytes)
            .Counter(8, "Errors", t => t.Errors.Values.Sum())
            .Counter(9, "Retries", t => t.Retries)
            .Gauge(10, "Lag", t => t.Waiting)
            .Gauge(11, "LagSeconds", t => t.LagSeconds)
            .Gauge(12, "DeadLetters", t => t.DeadLetters)
            .Gauge(13, "Throughput", t => t.MessagesPerSecond * SecondsPerMinute)
            .Text(14, "Problem", t => t.Problem ?? "");

    private static SnmpGroup<SubscriptionView> Subscriptions() =>
        new SnmpGroup<SubscriptionView>(4, "pipelineSubscription", isTable: true, f => f.Subscriptions)
            .Text(2, "Name", s => s.Name)
            .Word(
                3,
                "State",
                ["connected", "waiting", "paused", "resyncing", "awaitsResync", "failed"],
                s => s.State == "awaits resync" ? "awaitsResync" : s.State
            )
            .Gauge(4, "Workers", s => s.Workers.Count)
            .Gauge(5, "Lag", s => s.Consumer?.Pending.Changes ?? s.Lag)
            .Gauge(6, "LagSeconds", s => s.Consumer?.AgeSeconds ?? s.LagSeconds)
            .Gauge(7, "InFlight", s => s.InFlight)
            .Gauge(8, "Retrying", s => s.Retrying)
            .Counter(9, "Parked", s => s.Parked)
            .Counter(10, "Acknowledged", s => s.Acknowledged)
            .Text(11, "Problem", s => s.Error ?? s.LagReason ?? "");

    private static SnmpGroup<(WorkerFigures Figures, BackupStatus Status)> Backups() =>
        new SnmpGroup<(WorkerFigures Figures, BackupStatus Status)>(
            5,
            "pipelineBackup",
            isTable: true,
            f => f.Backups.Select(b => (f, b))
        )
            .Text(2, "Name", b => b.Status.Name)
            .Text(3, "Destination", b => b.Status.Destination)
            .Word(
                4,
                "Result",
                ["none", "succeeded", "failed"],
                b =>
                    b.Status.Problem is not null ? "failed"
                    : b.Status.LastBackup is null ? "none"
                    : "succeeded"
            )
            .Gauge(5, "Age", b => b.Figures.SecondsSince(b.Status.LastBackup))
            .Gauge(6, "VerifiedAge", b => b.Figures.SecondsSince(b.Status.LastVerified))
            .Gauge(7, "Size", b => b.Status.StoredBytes / KiB)
            .Gauge(8, "Duration", b => b.Status.Duration.TotalSeconds)
            .Truth(9, "Running", b => b.Status.Running is not null)
            .Text(10, "Problem", b => b.Status.Problem ?? "");

    private static SnmpGroup<(ClusterView View, NodeView? Node)> Cluster() =>
        new SnmpGroup<(ClusterView View, NodeView? Node)>(
            6,
            "pipelineCluster",
            isTable: false,
            f => f.Cluster is { } cluster ? [(cluster, f.Node)] : []
        )
            .Text(1, "Name", c => c.View.Cluster)
            .Text(2, "Node", c => c.View.AskedNode)
            .Word(3, "Role", ["leader", "follower", "claiming", "filling", "stopped"], c => c.Node?.Role)
            .Text(4, "Leader", c => c.View.Leader ?? "")
            .Gauge(5, "Epoch", c => c.View.Epoch)
            .Gauge(6, "Lag", c => c.Node?.Lag)
            .Gauge(7, "Nodes", c => c.View.Nodes.Count)
            .Gauge(8, "NodesAway", c => c.View.Nodes.Count(n => n.Role == NodeView.Unreachable))
            .Gauge(9, "MostLag", c => c.View.Nodes.Max(n => n.Lag))
            .Text(
                10,
                "Problem",
                c =>
                    string.Join(
                        "; ",
                        c.View.Nodes.Where(n => n.Problem is not null).Select(n => $"{n.Node}: {n.Problem}")
                    )
            );

    private static long? Total(WorkerFigures figures, string metric, string label = "") =>
        (long?)figures.Metrics?.Sum(metric, label);
}
