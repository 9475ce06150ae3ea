namespace Pipeline.Subscriptions;

/// <summary>Why a subscription cannot be used, or a worker was dropped.</summary>
public enum SubscriptionProblem
{
    /// <summary>There is none of the name.</summary>
    NotFound,

    /// <summary>There is one of the name already.</summary>
    Exists,

    /// <summary>The definition cannot be one.</summary>
    Invalid,

    /// <summary>Another worker has it, and the strategy does not take it over.</summary>
    InUse,

    /// <summary>Another worker took it over.</summary>
    TakenOver,

    /// <summary>The worker was not heard of within its lease: what it had is given again, its acknowledgement does not count.</summary>
    LeaseLost,

    /// <summary>The definition was changed.</summary>
    Changed,

    /// <summary>The position was set.</summary>
    Moved,

    /// <summary>It was paused.</summary>
    Paused,

    /// <summary>It was further behind than its policy allows: who connects again gets all documents anew.</summary>
    Behind,

    /// <summary>The worker was dropped on request.</summary>
    Dropped,

    /// <summary>It was deleted.</summary>
    Deleted,

    /// <summary>The worker left, or the database is closing.</summary>
    Closed,

    /// <summary>Its filter failed, or what is kept of it cannot be read.</summary>
    Failed,
}
