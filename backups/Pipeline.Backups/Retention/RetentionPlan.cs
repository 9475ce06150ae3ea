using System.Globalization;
using Pipeline.Backups.Manifests;

namespace Pipeline.Backups.Retention;

/// <summary>Which backups a policy keeps at a given time, and why.</summary>
public sealed class RetentionPlan
{
    private RetentionPlan(IReadOnlyList<(BackupManifest Backup, string? Reason)> backups) => Backups = backups;

    /// <summary>Each backup, oldest first, with the reason to keep it, or null to remove it.</summary>
    public IReadOnlyList<(BackupManifest Backup, string? Reason)> Backups { get; }

    /// <summary>The backups to remove.</summary>
    public IEnumerable<BackupManifest> Removed => Backups.Where(b => b.Reason is null).Select(b => b.Backup);

    /// <summary>Creates the plan.</summary>
    /// <param name="backups">All backups.</param>
    /// <param name="policy">The rules.</param>
    /// <param name="at">The time; later backups do not count.</param>
    /// <param name="zone">The zone in which days, weeks, months and years begin.</param>
    public static RetentionPlan Create(
        IReadOnlyList<BackupManifest> backups,
        RetentionPolicy policy,
        DateTimeOffset at,
        TimeZoneInfo zone
    )
    {
        ArgumentNullException.ThrowIfNull(policy);
        backups = [.. backups.Where(b => b.Ended <= at)];
        var byId = backups.ToDictionary(b => b.Id, StringComparer.Ordinal);
        string RootOf(BackupManifest backup)
        {
            for (
                var left = backups.Count;
                left > 0
                    && backup.Kind == BackupKind.Incremental
                    && byId.TryGetValue(backup.Parent ?? "", out var parent);
                left--
            )
            {
                backup = parent;
            }

            return backup.Id;
        }

        var chains = backups
            .GroupBy(RootOf, StringComparer.Ordinal)
            .Select(c => (Root: byId[c.Key], Members: c.ToList()))
            .OrderByDescending(c => c.Root.Ended)
            .ThenByDescending(c => c.Root.To.Transaction)
            .ToList();
        var sound = chains.Where(c => c.Root.Kind == BackupKind.Full).ToList();
        var reasons = new Dictionary<string, string>(StringComparer.Ordinal);
        void Stay(BackupManifest root, string reason) =>
            reasons[root.Id] = reasons.TryGetValue(root.Id, out var more) ? $"{more}, {reason}" : reason;
        if (policy.KeepsAll)
            chains.ForEach(c => Stay(c.Root, "no rule"));
        else if (sound.Count > 0)
            Stay(sound[0].Root, "newest");
        for (var i = 0; i < Math.Min(policy.Keep ?? 0, sound.Count); i++)
            Stay(sound[i].Root, string.Create(CultureInfo.InvariantCulture, $"{i + 1} of {policy.Keep}"));
        DateTime Local(BackupManifest root) => TimeZoneInfo.ConvertTime(root.Ended, zone).DateTime;
        void Each(int count, string name, Func<DateTime, object> period)
        {
            foreach (var newest in sound.GroupBy(c => period(Local(c.Root))).Take(count))
                Stay(newest.First().Root, name);
        }

        Each(policy.Daily, "daily", d => d.Date);
        Each(policy.Weekly, "weekly", d => (ISOWeek.GetYear(d), ISOWeek.GetWeekOfYear(d)));
        Each(policy.Monthly, "monthly", d => (d.Year, d.Month));
        Each(policy.Yearly, "yearly", d => d.Year);
        return new RetentionPlan([.. backups.Select(b => (b, reasons.GetValueOrDefault(RootOf(b))))]);
    }
}
