namespace Pipeline.Cluster;

/// <summary>Who may append to a log.</summary>
public enum LogPhase : byte
{
    /// <summary>No claim was accepted yet. Only a claim is accepted; before all others, a beginning, too.</summary>
    Vacant,

    /// <summary>A leader appends. A claim ends its time.</summary>
    Led,

    /// <summary>The leader has handed over. Only a claim is accepted.</summary>
    HandedOver,

    /// <summary>The log goes on elsewhere. Nothing is accepted.</summary>
    Ended,
}
