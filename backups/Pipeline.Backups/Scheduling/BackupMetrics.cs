using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace Pipeline.Backups;

/// <summary>
/// The meter <c>Pipeline.Backups</c>. Every measurement has the tags <c>pipeline.database</c>, <c>pipeline.backup</c>
/// and, except for runs,
/// <c>pipeline.backup.destination</c>.
/// </summary>
internal static class BackupMetrics
{
    private static readonly Meter Meter = new("Pipeline.Backups");
    private static readonly ConcurrentDictionary<BackupService, bool> Open = new();
    private static readonly Counter<long> Runs = Meter.CreateCounter<long>(
        "pipeline.backup.runs",
        "{run}",
        "Runs of backups and drills, by job and outcome."
    );

    static BackupMetrics()
    {
        Meter.CreateObservableGauge(
            "pipeline.backup.age",
            () => Observe(static (s, now) => s.LastBackup is { } at ? (now - at).TotalSeconds : null),
            "s",
            "Time since the newest backup was completed."
        );
        Meter.CreateObservableGauge(
            "pipeline.backup.verified.age",
            () => Observe(static (s, now) => s.LastVerified is { } at ? (now - at).TotalSeconds : null),
            "s",
            "Time since a backup was last restored in a drill."
        );
        Meter.CreateObservableGauge(
            "pipeline.backup.size",
            () => Observe(static (s, _) => s.LastBackup is null ? null : s.StoredBytes),
            "By",
            "Bytes stored for the newest backup."
        );
        Meter.CreateObservableGauge(
            "pipeline.backup.compression",
            () => Observe(static (s, _) => s.ContentBytes == 0 ? null : (double)s.StoredBytes / s.ContentBytes),
            "1",
            "Stored bytes of the newest backup divided by the bytes of its content."
        );
        Meter.CreateObservableGauge(
            "pipeline.backup.duration",
            () => Observe(static (s, _) => s.LastBackup is null ? null : s.Duration.TotalSeconds),
            "s",
            "Duration of the newest backup."
        );
    }

    public static void Register(BackupService service) => Open.TryAdd(service, true);

    public static void Unregister(BackupService service) => Open.TryRemove(service, out _);

    public static void Done(BackupRun run, string database) =>
        Runs.Add(
            1,
            new("pipeline.database", database),
            new("pipeline.backup", run.Name),
            new("pipeline.backup.job", run.Job.ToString()),
            new("pipeline.backup.outcome", run.Ok ? "ok" : "failed")
        );

    private static IEnumerable<Measurement<double>> Observe(Func<BackupStatus, DateTimeOffset, double?> value)
    {
        foreach (var service in Open.Keys)
        {
            IReadOnlyList<BackupStatus> all;
            try
            {
                all = service.GetStatus();
            }
            catch (ObjectDisposedException)
            {
                // The database is being closed; its measurements end here.
                continue;
            }
            foreach (var status in all)
            {
                if (value(status, service.Time.GetUtcNow()) is { } measured)
                {
                    yield return new Measurement<double>(
                        measured,
                        new("pipeline.database", service.Database),
                        new("pipeline.backup", status.Name),
                        new("pipeline.backup.destination", status.Destination)
                    );
                }
            }
        }
    }
}
