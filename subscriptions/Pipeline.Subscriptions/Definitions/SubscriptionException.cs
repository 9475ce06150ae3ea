namespace Pipeline.Subscriptions;

/// <summary>A subscription cannot be used as requested, or no longer.</summary>
public sealed class SubscriptionException : Exception
{
    /// <summary>Makes the error.</summary>
    public SubscriptionException(
        string subscription,
        SubscriptionProblem problem,
        string message,
        Exception? innerException = null
    )
        : base(message, innerException)
    {
        Subscription = subscription;
        Problem = problem;
    }

    /// <summary>The subscription's name.</summary>
    public string Subscription { get; }

    /// <summary>What went wrong.</summary>
    public SubscriptionProblem Problem { get; }

    /// <summary>
    /// With <see cref="SubscriptionProblem.Invalid"/>: the errors in the definition and their places. Empty otherwise.
    /// </summary>
    public IReadOnlyList<SubscriptionFault> Faults { get; init; } = [];

    /// <summary>Whether a worker may reconnect and continue.</summary>
    public bool CanReconnect =>
        Problem
            is SubscriptionProblem.InUse
                or SubscriptionProblem.LeaseLost
                or SubscriptionProblem.Changed
                or SubscriptionProblem.Moved
                or SubscriptionProblem.Behind;
}

/// <summary>An error in a definition.</summary>
/// <param name="Part">The part that is wrong.</param>
/// <param name="Line">The line within the part's text, from 1; 0 if the part is not text.</param>
/// <param name="Column">The column on that line, from 1, in UTF-16 units; 0 if the part is not text.</param>
/// <param name="Message">What is wrong.</param>
/// <param name="Suggestion">What to write instead; null if unknown.</param>
public sealed record SubscriptionFault(
    SubscriptionPart Part,
    int Line,
    int Column,
    string Message,
    string? Suggestion = null
);
