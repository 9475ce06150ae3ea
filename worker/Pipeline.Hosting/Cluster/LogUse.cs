using System.Globalization;
using Pipeline.Cluster;
using Pipeline.Configuration;

namespace Pipeline.Hosting.Cluster;

/// <summary>What a log keeps, and why.</summary>
/// <param name="First">The first place that it keeps.</param>
/// <param name="End">The place after its last record.</param>
/// <param name="HeldBy">Why it keeps more than it would have to; null if it does not.</param>
/// <param name="Holders">The nodes that have reported the log's place on their disks.</param>
internal sealed record LogUse(long First, long End, string? HeldBy, IReadOnlyList<NodeHold> Holders)
{
    /// <summary>How many records it keeps.</summary>
    public long Records => End - First;

    /// <summary>Describes a log.</summary>
    public static LogUse Of(
        LogBounds bounds,
        IReadOnlyList<LogHolder> holders,
        LogTrimConfiguration trim,
        DateTimeOffset now
    )
    {
        var holds = holders
            .Select(h => new NodeHold(h.Name, h.Place, h.Seen, now - h.Seen > trim.SilentAfter))
            .ToList();
        return new LogUse(bounds.First, bounds.End, WhyHeld(bounds, holds, trim), holds);
    }

    private static string? WhyHeld(LogBounds bounds, List<NodeHold> holds, LogTrimConfiguration trim)
    {
        // What a trim would take only in the next step is not held.
        if (bounds.End - bounds.First <= trim.KeepRecords + Math.Max(1, trim.KeepRecords / 10))
            return null;
        if (trim.Every == TimeSpan.Zero)
            return "cluster.log.trim.every is 0s";
        var live = holds.Where(h => !h.IsSilent).ToList();
        if (live.Count < trim.Copies)
        {
            return string.Create(
                CultureInfo.InvariantCulture,
                $"{live.Count} of {trim.Copies} nodes have reported their places"
            );
        }
        var slowest = live.MinBy(h => h.Place)!;
        return slowest.Place >= bounds.End - trim.KeepRecords
            ? null
            : string.Create(
                CultureInfo.InvariantCulture,
                $"{slowest.Name} needs it from place {slowest.Place} and was heard at {slowest.Seen:u}"
            );
    }
}

/// <summary>A node that needs the log from a place on.</summary>
/// <param name="Name">The node.</param>
/// <param name="Place">What comes before it is on the node's disk.</param>
/// <param name="Seen">When it said so, by the leader's clock.</param>
/// <param name="IsSilent">Whether that is so long ago that it holds nothing any more.</param>
internal sealed record NodeHold(string Name, long Place, DateTimeOffset Seen, bool IsSilent);
