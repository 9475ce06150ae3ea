namespace Pipeline.Cluster.Tests.Store;

/// <summary>Faults planted in the stores or around them. The simulation must find each of them.</summary>
public enum StoreFault
{
    None,

    /// <summary>Any place in an answer is taken for the expected one.</summary>
    NoContiguity,

    /// <summary>An unknown answer is taken for the expected place.</summary>
    UnknownTakenForLanded,

    /// <summary>A new leader waits for no lease.</summary>
    NoLeaseWait,

    /// <summary>The lease is checked before the snapshot is taken.</summary>
    LeaseBeforeSnapshot,

    /// <summary>A transaction is shown to readers when it is sent.</summary>
    PublishBeforeAcceptance,

    /// <summary>Errors leave before the state that they come from is accepted.</summary>
    AnswerBeforeAcceptance,

    /// <summary>Answers leave when their state is accepted, whoever leads by then.</summary>
    AnswerWithoutLease,

    /// <summary>Pages are flushed before their entries are synced.</summary>
    FlushBeforeJournal,

    /// <summary>Entries are applied without room for their pages.</summary>
    ApplyUnreserved,

    /// <summary>A node reports the place that it has read as durable on its disk, and the log is trimmed that far.</summary>
    TrimAheadOfDisk,

    /// <summary>A copy of a store names a place of the log that is not its own.</summary>
    RefillAtWrongPlace,

    /// <summary>Pages of a copy are not verified.</summary>
    RefillUnverified,
}
