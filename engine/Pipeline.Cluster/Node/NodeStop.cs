namespace Pipeline.Cluster;

/// <summary>Why a node does nothing.</summary>
internal enum NodeStop
{
    /// <summary>It works.</summary>
    None,

    /// <summary>
    /// The log does not hold what this node has read from it. The node is quarantined: what only it has must be
    /// exported.
    /// </summary>
    AheadOfLog,

    /// <summary>A record that was acknowledged by its place is not there. The node is quarantined.</summary>
    LogLied,

    /// <summary>Another process of the same name leads or claims.</summary>
    SameName,

    /// <summary>The records that come next were trimmed: the node must be filled from a peer or a backup.</summary>
    NeedsRefill,

    /// <summary>The log uses a format that this version does not know.</summary>
    NewerFormat,

    /// <summary>A record is damaged. Opening the node again reads it anew.</summary>
    DamagedRecord,
}
