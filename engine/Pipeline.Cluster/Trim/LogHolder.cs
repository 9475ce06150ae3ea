namespace Pipeline.Cluster;

/// <summary>What a holder of the log is.</summary>
internal enum LogHolderKind : byte
{
    /// <summary>A node of the cluster.</summary>
    Member = 1,

    /// <summary>A backup by its name in the configuration, from which a node may be restored.</summary>
    Backup = 2,
}

/// <summary>A node or backup that needs the log from a place on.</summary>
/// <param name="Kind">What it is.</param>
/// <param name="Name">The node's name, or the backup's.</param>
/// <param name="Place">What comes before it is durable there.</param>
/// <param name="Seen">When it last said so, by the leader's clock.</param>
internal readonly record struct LogHolder(LogHolderKind Kind, string Name, long Place, DateTimeOffset Seen);
