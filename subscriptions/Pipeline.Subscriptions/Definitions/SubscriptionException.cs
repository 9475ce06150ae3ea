namespace Pipeline.Subscriptions;

/// <summary>A subscription cannot be used as was asked, or not any more.</summary>
public sealed class SubscriptionException : Exception
{
    /// <summary>Makes the error.</summary>
    public SubscriptionException(string subscription, SubscriptionProblem problem, string message, Exception? innerException = null)
        : base(message, innerException)
    {
        Subscription = subscription;
        Problem = problem;
    }

    /// <summary>The subscription's name.</summary>
    public string Subscription { get; }

    /// <summary>What is the matter.</summary>
    public SubscriptionProblem Problem { get; }

    /// <summary>With <see cref="SubscriptionProblem.Invalid"/>: what of the definition is wrong, and where. Empty otherwise.</summary>
    public IReadOnlyList<SubscriptionFault> Faults { get; init; } = [];

    /// <summary>Whether a worker may connect again and go on.</summary>
    public bool CanReconnect => Problem is SubscriptionProblem.InUse or SubscriptionProblem.LeaseLost or SubscriptionProblem.Changed or SubscriptionProblem.Moved
        or SubscriptionProblem.Behind;
}
