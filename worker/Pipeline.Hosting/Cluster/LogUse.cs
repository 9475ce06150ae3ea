using System.Globalization;
using System.Text.Json.Serialization;
using Pipeline.Cluster;
using Pipeline.Configuration;

namespace Pipeline.Hosting.Cluster;

/// <summary>What a log keeps, and why.</summary>
/// <param name="First">The first place that it keeps.</param>
/// <param name="End">The place after its last record.</param>
/// <param name="HeldBy">Why it keeps more than it needs to; null if it does not.</param>
/// <param name="Holders">The nodes that have reported their places, and the backups.</param>
internal sealed record LogUse(long First, long End, string? HeldBy, IReadOnlyList<HolderView> Holders)
{
    /// <summary>How many records it keeps.</summary>
    public long Records => End - First;

    /// <summary>The backups that have not finished for too long to hold it.</summary>
    [JsonIgnore]
    public IEnumerable<string> OldBackups =>
        Holders.Where(h => h is { IsSilent: true, Kind: "backup" }).Select(h => h.Name);

    /// <summary>Describes a log.</summary>
    public static LogUse Of(
        LogBounds bounds,
        IReadOnlyList<LogHolder> holders,
        LogTrimConfiguration trim,
        DateTimeOffset now
    )
    {
        var options = ClusterMember.OptionsOf(trim);
        var holds = holders
            .Select(h => new HolderView(
                h.Name,
                h.Kind == LogHolderKind.Backup ? "backup" : "node",
                h.Place,
                h.Seen,
                options.IsGivenUp(h, now)
            ))
            .ToList();
        return new LogUse(bounds.First, bounds.End, WhyHeld(bounds, holds, trim), holds);
    }

    private static string? WhyHeld(LogBounds bounds, List<HolderView> holds, LogTrimConfiguration trim)
    {
        // Records that the next trim would drop are not held.
        if (bounds.End - bounds.First <= trim.KeepRecords + Math.Max(1, trim.KeepRecords / 10))
            return null;
        if (trim.Every == TimeSpan.Zero)
            return "cluster.log.trim.every is 0s";
        var live = holds.Where(h => !h.IsSilent).ToList();
        var nodes = live.Count(h => h.Kind == "node");
        if (nodes < trim.Copies)
        {
            return string.Create(
                CultureInfo.InvariantCulture,
                $"{nodes} of {trim.Copies} nodes have reported their places"
            );
        }
        var slowest = live.MinBy(h => h.Place)!;
        if (slowest.Place >= bounds.End - trim.KeepRecords)
            return null;
        return slowest.Kind == "backup"
            ? string.Create(
                CultureInfo.InvariantCulture,
                $"the backup {slowest.Name} needs it from place {slowest.Place}, as of {slowest.Seen:u}"
            )
            : string.Create(
                CultureInfo.InvariantCulture,
                $"{slowest.Name} needs it from place {slowest.Place} and was heard at {slowest.Seen:u}"
            );
    }
}

/// <summary>A node or backup that needs the log from a certain place on.</summary>
/// <param name="Name">The node, or the backup.</param>
/// <param name="Kind"><c>node</c> or <c>backup</c>.</param>
/// <param name="Place">
/// The first place that it needs: everything before is on the node's disk, or in the backup.
/// </param>
/// <param name="Seen">When the node reported this, or the backup finished, by the leader's clock.</param>
/// <param name="IsSilent">Whether that is so long ago that it holds nothing any more.</param>
internal sealed record HolderView(string Name, string Kind, long Place, DateTimeOffset Seen, bool IsSilent);
