namespace Pipeline.IntegrationTests.Faults;

/// <summary>
/// A fault that the clients of a run have instead of the cluster, so that their histories look as if the cluster had it.
/// A checker must find it.
/// </summary>
public enum FaultPlant
{
    None,

    /// <summary>A node acknowledges writes before the log has accepted them: unknown answers count as done.</summary>
    AcknowledgesBeforeAcceptance,

    /// <summary>Any node answers a read from its copy, without a lease.</summary>
    ReadsWithoutLease,

    /// <summary>A batch is two transactions.</summary>
    BatchInParts,

    /// <summary>The acknowledgement of a subscription's batch is lost with its connection.</summary>
    AcknowledgementLost,
}
