namespace Pipeline.Cluster.Tests.Model;

/// <summary>Faults of moving between logs that a search must find.</summary>
public enum MoveBug
{
    None,

    /// <summary>A log is begun by a store that has not read the end of the log before.</summary>
    BegunBeforeTheEnd,

    /// <summary>A store goes on though it has not read the end of the log before.</summary>
    GoneOnBeforeTheEnd,

    /// <summary>A store goes on because it has the same number of transactions.</summary>
    ChainIgnored,

    /// <summary>The position behind the end is kept before the store is on the disk.</summary>
    KeptBeforeTheDisk,

    /// <summary>A kept place counts in any log, whichever log it was read from.</summary>
    OriginIgnored,

    /// <summary>A transaction that the store has is passed over without a comparison.</summary>
    NotCompared,

    /// <summary>A store that has transactions reads on behind a beginning that is not its own.</summary>
    BeginningTaken,
}
