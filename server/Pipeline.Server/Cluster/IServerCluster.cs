using Pipeline.Database.Certificates;

namespace Pipeline.Server.Cluster;

/// <summary>A node of the server's cluster.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Url">Where clients and other nodes reach it.</param>
internal sealed record ServerNode(string Name, Uri Url)
{
    /// <summary>The newest format of the log that it knows.</summary>
    public int Format { get; init; }

    /// <summary>Where its actor system is, as host:port; null if its actors are in no cluster.</summary>
    public string? Actors { get; init; }
}

/// <summary>The view that a server has of its cluster. Thread-safe.</summary>
internal interface IServerCluster
{
    /// <summary>This node.</summary>
    ServerNode Self { get; }

    /// <summary>The name of the database that the cluster keeps.</summary>
    string Database { get; }

    /// <summary>Whether this node has no copy of the database yet: it passes on all that is not about itself.</summary>
    bool IsFilling => false;

    /// <summary>
    /// Whether this node began without a copy, and still reads the log from its beginning: its copy lacks documents that
    /// are old, so it answers no reads.
    /// </summary>
    bool IsJoining => false;

    /// <summary>Whether this node leads: it answers requests itself.</summary>
    bool Leads { get; }

    /// <summary>
    /// Whether this node is certain to lead at this moment. What was read <em>before</em> a call that returns true has
    /// every acknowledged write.
    /// </summary>
    bool HoldsLease { get; }

    /// <summary>Whether a follower answers reads from its own copy unless the request says otherwise.</summary>
    bool ReadsAtFollowers { get; }

    /// <summary>Whether the log confirms before each read that this node leads, unless the request says otherwise.</summary>
    bool ReadsConfirmed => false;

    /// <summary>All known nodes, the leader first. Empty before the first leader.</summary>
    IReadOnlyList<ServerNode> Nodes { get; }

    /// <summary>Grows with each change of the leader or of the nodes.</summary>
    long TopologyVersion { get; }

    /// <summary>The certificates of nodes, this one's included.</summary>
    IReadOnlyList<CertificateThumbprint> Certificates { get; }

    /// <summary>Calls other nodes, with this node's certificate.</summary>
    HttpMessageInvoker Client { get; }

    /// <summary>The node that leads; null if that is not known, or if its address is not.</summary>
    ServerNode? Leader { get; }

    /// <summary>Completes at the next change of the leader, of this node's role or of its lease.</summary>
    Task WhenChangedAsync(CancellationToken ct);

    /// <summary>
    /// Asks the log whether this node leads. What is read <em>after</em> a call that returns true has every write that
    /// was acknowledged before the call, whatever clocks do.
    /// </summary>
    Task<bool> ConfirmAsync(CancellationToken ct);

    /// <summary>Waits until this node's copy has all changes up to a position.</summary>
    Task WaitForPositionAsync(long position, CancellationToken ct);
}
