namespace Pipeline.Subscriptions;

/// <summary>How a worker takes changes.</summary>
public sealed record SubscriptionWorkerOptions
{
    /// <summary>Its name, for people.</summary>
    public string Name { get; init; } = "worker";

    /// <summary>What it does where there is another.</summary>
    public WorkerStrategy Strategy { get; init; } = WorkerStrategy.OpenIfFree;

    /// <summary>The most changes in a batch. Default 1,000.</summary>
    public int MaxBatchCount { get; init; } = 1000;

    /// <summary>The most bytes in a batch; one change comes however large it is. Default 4 MiB.</summary>
    public long MaxBatchBytes { get; init; } = 4 << 20;

    /// <summary>For how long a batch is the worker's unless it is heard of before. Default 30 s.</summary>
    public TimeSpan Lease { get; init; } = TimeSpan.FromSeconds(30);

    internal void Check(string subscription)
    {
        string? problem = MaxBatchCount < 1 ? $"maxBatchCount is {MaxBatchCount}; at least 1 is needed"
            : MaxBatchBytes < 1 ? $"maxBatchBytes is {MaxBatchBytes}; at least 1 is needed"
            : Lease <= TimeSpan.Zero ? $"the lease is {Lease}; it must be over 0" : null;
        if (problem is not null) throw new SubscriptionException(subscription, SubscriptionProblem.Invalid, $"A worker of subscription '{subscription}' cannot be: {problem}.");
    }
}
