using System.Globalization;
using Pipeline.Backups;

namespace Pipeline.Hosting.Backups;

/// <summary>Checks that backups are recent enough, and were verified recently enough. Thread-safe.</summary>
internal static class BackupHealth
{
    /// <summary>Returns a check for each backup at each destination.</summary>
    public static IEnumerable<ReadinessCheck> Check(BackupService backups)
    {
        var now = backups.Time.GetUtcNow();
        var schedules = backups.Definitions.ToDictionary(d => d.Name, d => d.Schedule, StringComparer.Ordinal);
        foreach (var status in backups.GetStatus())
        {
            var schedule = schedules.GetValueOrDefault(status.Name);
            var reasons = new List<string>();
            if (schedule?.MaxAge is { } most && (status.LastBackup is not { } last || now - last > most))
            {
                reasons.Add(
                    status.LastBackup is null
                        ? "there is no backup"
                        : string.Create(
                            CultureInfo.InvariantCulture,
                            $"the newest is of {status.LastBackup:u}, over the limit of {most}"
                        )
                );
            }

            if (
                schedule?.MaxVerifiedAge is { } longest
                && (status.LastVerified is not { } verified || now - verified > longest)
            )
            {
                reasons.Add(
                    status.LastVerified is null
                        ? "none was ever restored in a drill"
                        : string.Create(
                            CultureInfo.InvariantCulture,
                            $"the last drill was on {status.LastVerified:u}, over the limit of {longest}"
                        )
                );
            }

            if (status.Problem is not null)
                reasons.Add("the last run failed: " + status.Problem);
            yield return new ReadinessCheck(
                $"backup {status.Name} at {status.Destination}",
                reasons.Count == 0,
                reasons.Count > 0 ? string.Join("; ", reasons)
                    : status.LastBackup is null ? "no backup yet"
                    : string.Create(CultureInfo.InvariantCulture, $"{status.Backup} of {status.LastBackup:u}")
            )
            {
                IsWarning = true,
            };
        }
    }
}
