namespace Pipeline.Cluster;

/// <summary>Why a node does not return a result.</summary>
internal enum NodeRefusal
{
    /// <summary>The transaction is not in the log and never will be.</summary>
    NotAccepted,

    /// <summary>The transaction may have been accepted; the node can no longer tell.</summary>
    Unknown,
}
