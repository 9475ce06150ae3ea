namespace Pipeline.Cluster;

/// <summary>Why a node has stopped.</summary>
internal enum NodeStop
{
    /// <summary>It works.</summary>
    None,

    /// <summary>
    /// The log does not have what this node has read from it. The node is quarantined: the changes that only it has
    /// must be exported.
    /// </summary>
    AheadOfLog,

    /// <summary>A record that was acknowledged by its place is not there. The node is quarantined.</summary>
    LogLied,

    /// <summary>Another process of the same name leads or claims.</summary>
    SameName,

    /// <summary>The next records were trimmed: the node must be refilled from a peer or a backup.</summary>
    NeedsRefill,

    /// <summary>The log uses a format that this version does not know.</summary>
    NewerFormat,

    /// <summary>A record is damaged. The node reads it again when it is reopened.</summary>
    DamagedRecord,
}
