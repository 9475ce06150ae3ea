namespace Pipeline.Cluster.Tests.Model;

/// <summary>Faults that a search must find. The first few weaken the automaton, the others the leader.</summary>
public enum PlantedBug
{
    None,

    /// <summary>Not a fault: the chain and the number still guard.</summary>
    EpochAndStartIgnored,

    /// <summary>Not a fault: epoch and number still guard.</summary>
    ChainIgnored,

    /// <summary>Not a fault: the chain still guards.</summary>
    TransactionIgnored,

    ClaimWithoutCondition,
    EpochAndChainIgnored,
    TransactionAndChainIgnored,

    AcknowledgedWithoutContiguity,
    UnknownAnswerTakenForLanded,
    LedBeforeReadingTheClaim,
    PublishedBeforeAcceptance,
    AcknowledgedDuringTheOldLease,
    LeaseFromTheAnswer,
}
