namespace Pipeline.Cluster.Tests.Node;

/// <summary>Faults planted around the node's loop. The simulation must find each of them.</summary>
public enum HostFault
{
    None,

    /// <summary>Any place in an answer is taken for the expected one.</summary>
    NoContiguity,

    /// <summary>An unknown answer is taken for the expected place.</summary>
    UnknownTakenForLanded,

    /// <summary>Prepared transactions are shown to readers before the log has accepted them.</summary>
    PublishedEarly,

    /// <summary>A failed comparison is answered from prepared state at once.</summary>
    ErrorsLetGoEarly,

    /// <summary>The lease is checked before a call begins, and the call's snapshot is taken later.</summary>
    LeaseBeforeSnapshot,

    /// <summary>A new leader waits for no lease.</summary>
    NoLeaseWait,

    /// <summary>A read that the log should confirm is answered by whoever believes to lead.</summary>
    Unconfirmed,
}
