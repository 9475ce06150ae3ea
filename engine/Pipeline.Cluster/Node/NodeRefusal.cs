namespace Pipeline.Cluster;

/// <summary>Why a result does not leave a node.</summary>
internal enum NodeRefusal
{
    /// <summary>The transaction is not in the log and never will be.</summary>
    NotAccepted,

    /// <summary>The transaction may be accepted; the node cannot tell any more.</summary>
    Unknown,
}
