namespace Pipeline.Subscriptions;

/// <summary>Options of a worker.</summary>
public sealed record SubscriptionWorkerOptions
{
    /// <summary>The worker's name, for people.</summary>
    public string Name { get; init; } = "worker";

    /// <summary>What the worker does if another worker has the subscription.</summary>
    public WorkerStrategy Strategy { get; init; } = WorkerStrategy.OpenIfFree;

    /// <summary>The most changes in a batch. Default 1,000.</summary>
    public int MaxBatchCount { get; init; } = 1000;

    /// <summary>The most bytes in a batch; one change is delivered however large it is. Default 4 MiB.</summary>
    public long MaxBatchBytes { get; init; } = 4 << 20;

    /// <summary>How long the worker may keep a batch without reporting. Default 30 s.</summary>
    public TimeSpan Lease { get; init; } = TimeSpan.FromSeconds(30);

    internal void Check(string subscription)
    {
        var problem =
            MaxBatchCount < 1 ? $"maxBatchCount is {MaxBatchCount}; it must be at least 1"
            : MaxBatchBytes < 1 ? $"maxBatchBytes is {MaxBatchBytes}; it must be at least 1"
            : Lease <= TimeSpan.Zero ? $"the lease is {Lease}; it must be over 0"
            : null;
        if (problem is not null)
        {
            throw new SubscriptionException(
                subscription,
                SubscriptionProblem.Invalid,
                $"The options of a worker of subscription '{subscription}' are invalid: {problem}."
            );
        }
    }
}
