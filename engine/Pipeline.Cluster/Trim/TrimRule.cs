namespace Pipeline.Cluster;

/// <summary>
/// Decides how much of a log may be given up. What it gives up is durable on enough members' disks, so a node that
/// needed it can be filled from one of them. Backups contain it, too, so a cluster without any disk can be rebuilt from
/// a backup and the rest of the log. A pure function.
/// </summary>
/// <remarks>
/// Places only grow: a member that is filled anew goes on where a peer stands, and that is behind its own place. So an
/// older state of the holders gives an earlier limit, and any node may trim, whoever leads.
/// </remarks>
internal static class TrimRule
{
    /// <summary>The first place to keep.</summary>
    /// <param name="bounds">What the log holds.</param>
    /// <param name="holders">Who needs it from where.</param>
    /// <param name="options">How much is kept.</param>
    /// <param name="now">The time, by the clock of <see cref="LogHolder.Seen"/>.</param>
    /// <returns>A place of the log; the first one if nothing may be given up.</returns>
    public static long FirstToKeep(
        LogBounds bounds,
        IReadOnlyCollection<LogHolder> holders,
        TrimOptions options,
        DateTimeOffset now
    )
    {
        var limit = bounds.End - options.KeepRecords;
        var members = 0;
        foreach (var holder in holders)
        {
            if (options.IsGivenUp(holder, now))
                continue;
            if (holder.Kind == LogHolderKind.Member)
                members++;
            // A node reads the record before its place, to see whether the log still has it.
            limit = Math.Min(limit, holder.Place - 1);
        }
        return members >= Math.Max(1, options.MinCopies) && limit - bounds.First >= options.Step ? limit : bounds.First;
    }
}
