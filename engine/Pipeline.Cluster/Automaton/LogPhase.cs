namespace Pipeline.Cluster;

/// <summary>Who may append to a log.</summary>
public enum LogPhase : byte
{
    /// <summary>
    /// No claim was accepted yet. Only a claim is accepted, or a beginning as the first record of the log.
    /// </summary>
    Vacant,

    /// <summary>A leader appends until another process claims.</summary>
    Led,

    /// <summary>The leader has handed over. Only a claim is accepted.</summary>
    HandedOver,

    /// <summary>Another log continues this one. Nothing is accepted.</summary>
    Ended,
}
