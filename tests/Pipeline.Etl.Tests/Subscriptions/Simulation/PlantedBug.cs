namespace Pipeline.Etl.Tests.Subscriptions.Simulation;

/// <summary>A bug that the simulation plants on purpose, to prove that its checks find it.</summary>
public enum PlantedBug
{
    None,

    /// <summary>The position moves when a batch is delivered.</summary>
    PositionBeforeAcknowledgement,

    /// <summary>What a worker acknowledges counts although its lease is over.</summary>
    LeaseNotFenced,

    /// <summary>A later change of a key is delivered while an earlier one waits for its retry.</summary>
    RetriesOvertaken,

    /// <summary>Writers get their positions before they commit, and commit in another order.</summary>
    PositionBeforeCommit,

    /// <summary>A partition goes to its next worker while the former one still has changes of it.</summary>
    HandedOverInFlight,

    /// <summary>What was acknowledged behind the position is forgotten in a crash.</summary>
    AheadForgotten,
}
