using System.Globalization;
using Pipeline.Backups.Manifests;

namespace Pipeline.Hosting.Backups;

/// <summary>Describes backups in words.</summary>
internal static class BackupText
{
    /// <summary>Describes the result of a run at one destination.</summary>
    public static string Describe(BackupRunView report)
    {
        if (report.Backup is not { } backup)
            return $"{report.Destination}: failed: {report.Error}";
        var reason = backup.Reason is null ? "" : $" (full, since {backup.Reason})";
        var removed = report.Removed.Count == 0 ? "" : $"; removed {string.Join(", ", report.Removed)}";
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{report.Destination}: {backup.Id}{reason}, position {backup.To.Position}: {Size(backup.ContentBytes)} of content, {Size(backup.StoredBytes)} stored, {Size(backup.SentBytes)} sent, in {(backup.Ended - backup.Started).TotalSeconds:0.0} s{removed}"
        );
    }

    /// <summary>Formats bytes in a suitable unit.</summary>
    public static string Size(long bytes) =>
        bytes switch
        {
            < 10L << 10 => string.Create(CultureInfo.InvariantCulture, $"{bytes} B"),
            < 10L << 20 => string.Create(CultureInfo.InvariantCulture, $"{bytes / 1024.0:N0} KiB"),
            < 10L << 30 => string.Create(CultureInfo.InvariantCulture, $"{bytes / 1048576.0:N0} MiB"),
            _ => string.Create(CultureInfo.InvariantCulture, $"{bytes / 1073741824.0:N1} GiB"),
        };

    /// <summary>Describes the last verification.</summary>
    public static string Verified(Verification? verification) =>
        verification is null
            ? "never"
            : string.Create(
                CultureInfo.InvariantCulture,
                $"{(verification.Ok ? verification.Kind : "FAILED")} {verification.Time:yyyy-MM-dd HH:mm}"
            );
}
