namespace Pipeline.Cluster;

/// <summary>
/// Decides how much of a log may be trimmed. Trimmed records are durable on enough members' disks, so a node that still
/// needs them can be refilled from one of them. Backups contain them too, so a cluster that lost all its disks can be
/// rebuilt from a backup and the rest of the log. A pure function.
/// </summary>
/// <remarks>
/// Places only grow: a refilled member continues where its peer is, which is after its own old place. So an older state
/// of the holders gives an earlier limit, and any node may trim, whoever leads.
/// </remarks>
internal static class TrimRule
{
    /// <summary>The first place to keep.</summary>
    /// <param name="bounds">What the log holds.</param>
    /// <param name="holders">The holders, with the places that they need.</param>
    /// <param name="options">How much is kept.</param>
    /// <param name="now">The time, by the clock of <see cref="LogHolder.Seen"/>.</param>
    /// <returns>A place of the log; the first one if nothing may be trimmed.</returns>
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
            // A node also reads the record before its place, to check that the log still has it.
            limit = Math.Min(limit, holder.Place - 1);
        }
        return members >= Math.Max(1, options.MinCopies) && limit - bounds.First >= options.Step ? limit : bounds.First;
    }
}
