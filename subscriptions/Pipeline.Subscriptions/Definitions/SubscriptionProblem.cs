namespace Pipeline.Subscriptions;

/// <summary>Why a subscription cannot be used, or a worker was dropped.</summary>
public enum SubscriptionProblem
{
    /// <summary>No subscription has this name.</summary>
    NotFound,

    /// <summary>A subscription with this name exists already.</summary>
    Exists,

    /// <summary>The definition is invalid.</summary>
    Invalid,

    /// <summary>Another worker has it, and the strategy does not take over.</summary>
    InUse,

    /// <summary>Another worker took it over.</summary>
    TakenOver,

    /// <summary>
    /// The worker did not report within its lease: its batch is delivered again, and its acknowledgement is refused.
    /// </summary>
    LeaseLost,

    /// <summary>The definition was changed.</summary>
    Changed,

    /// <summary>The position was moved.</summary>
    Moved,

    /// <summary>It was paused.</summary>
    Paused,

    /// <summary>The subscription exceeded its lag policy: a worker that reconnects gets all documents again.</summary>
    Behind,

    /// <summary>The worker was dropped on request.</summary>
    Dropped,

    /// <summary>It was deleted.</summary>
    Deleted,

    /// <summary>The worker left, or the database is closing.</summary>
    Closed,

    /// <summary>Its filter failed, or its stored state cannot be read.</summary>
    Failed,
}
