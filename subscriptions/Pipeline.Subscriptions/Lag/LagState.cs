namespace Pipeline.Subscriptions;

/// <summary>How far behind a consumer is, by its policy.</summary>
public enum LagState
{
    /// <summary>Within its limits, or it has none.</summary>
    Normal,

    /// <summary>Near a limit.</summary>
    Warning,

    /// <summary>Over a limit.</summary>
    Exceeded,

    /// <summary>Was over a limit: nothing is kept for it, and it gets all documents anew when a worker connects.</summary>
    AwaitsResync,

    /// <summary>It gets all documents anew.</summary>
    Resyncing,
}
