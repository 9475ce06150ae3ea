namespace Pipeline.Client;

/// <summary>
/// A subscription cannot be used as requested, or no longer. In the process and over HTTP the errors are the same.
/// </summary>
public sealed class SubscriptionException(
    string subscription,
    SubscriptionProblem problem,
    string message,
    Exception? inner = null
) : PipelineClientException(message, inner)
{
    /// <summary>The subscription's name.</summary>
    public string Subscription { get; } = subscription;

    /// <summary>What went wrong.</summary>
    public SubscriptionProblem Problem { get; } = problem;

    /// <summary>Whether a worker reconnects by itself: the problem passes, or the server may come back.</summary>
    public bool CanReconnect =>
        Problem
            is SubscriptionProblem.Unreachable
                or SubscriptionProblem.LeaseLost
                or SubscriptionProblem.Changed
                or SubscriptionProblem.Moved
                or SubscriptionProblem.Paused
                or SubscriptionProblem.Behind;
}

/// <summary>Why a subscription cannot be used, or why a worker has lost it.</summary>
public enum SubscriptionProblem
{
    /// <summary>The database has no such subscription, or the server no such database.</summary>
    NotFound,

    /// <summary>A subscription with this name exists already.</summary>
    Exists,

    /// <summary>The name, the options or the address are invalid. The message says what and where.</summary>
    Invalid,

    /// <summary>The client may not use the subscription, or may not send C#.</summary>
    AccessDenied,

    /// <summary>Another worker has it, and the strategy refuses a second one.</summary>
    InUse,

    /// <summary>Another worker took it over.</summary>
    TakenOver,

    /// <summary>
    /// A batch took longer than <see cref="SubscribeOptions.MaxBatchTime"/>; its documents come again.
    /// </summary>
    LeaseLost,

    /// <summary>Its definition was changed. Workers reconnect.</summary>
    Changed,

    /// <summary>Its position was moved. Workers reconnect.</summary>
    Moved,

    /// <summary>It is paused. Workers wait until it is resumed.</summary>
    Paused,

    /// <summary>It lagged too far: workers reconnect and get all documents again.</summary>
    Behind,

    /// <summary>An administrator dropped the worker.</summary>
    Dropped,

    /// <summary>It was deleted.</summary>
    Deleted,

    /// <summary>The store or its database was closed.</summary>
    Closed,

    /// <summary>It stopped: its filter failed, or its stored state cannot be read.</summary>
    Failed,

    /// <summary>
    /// The server did not answer, the connection was lost, or the server has too much to do. Workers reconnect.
    /// </summary>
    Unreachable,
}
