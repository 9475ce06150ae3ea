namespace Pipeline.Subscriptions;

/// <summary>What a worker does where another one has the subscription.</summary>
public enum WorkerStrategy
{
    /// <summary>It is refused.</summary>
    OpenIfFree,

    /// <summary>It waits until the other has left.</summary>
    WaitForFree,

    /// <summary>The other one is dropped.</summary>
    TakeOver,

    /// <summary>Both work: keys are spread among all that came with this strategy.</summary>
    Concurrent,
}
