namespace Pipeline.Cluster;

/// <summary>The kind of a holder of the log.</summary>
internal enum LogHolderKind : byte
{
    /// <summary>A node of the cluster.</summary>
    Member = 1,

    /// <summary>A backup by its name in the configuration, from which a node may be restored.</summary>
    Backup = 2,
}

/// <summary>A node or backup that needs the log from a certain place on.</summary>
/// <param name="Kind">Node or backup.</param>
/// <param name="Name">The node's name, or the backup's.</param>
/// <param name="Place">The first place that it needs: everything before is durable there.</param>
/// <param name="Seen">When it last reported this, by the leader's clock.</param>
internal readonly record struct LogHolder(LogHolderKind Kind, string Name, long Place, DateTimeOffset Seen);
