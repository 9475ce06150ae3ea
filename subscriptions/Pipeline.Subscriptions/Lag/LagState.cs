namespace Pipeline.Subscriptions;

/// <summary>How far a consumer lags, by its policy.</summary>
public enum LagState
{
    /// <summary>Within its limits, or without limits.</summary>
    Normal,

    /// <summary>Near a limit.</summary>
    Warning,

    /// <summary>Over a limit.</summary>
    Exceeded,

    /// <summary>
    /// Was over a limit: nothing is kept for it, and it gets all documents again when a worker connects.
    /// </summary>
    AwaitsResync,

    /// <summary>It gets all documents again.</summary>
    Resyncing,
}
