namespace Pipeline.Subscriptions;

/// <summary>What a worker does if another worker has the subscription.</summary>
public enum WorkerStrategy
{
    /// <summary>It is refused.</summary>
    OpenIfFree,

    /// <summary>It waits until the other worker has left.</summary>
    WaitForFree,

    /// <summary>It drops the other worker.</summary>
    TakeOver,

    /// <summary>Both work: keys are spread among all workers with this strategy.</summary>
    Concurrent,
}
