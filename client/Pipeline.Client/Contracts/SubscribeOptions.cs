namespace Pipeline.Client;

/// <summary>How a worker takes part in a subscription. Immutable.</summary>
public sealed record SubscribeOptions
{
    /// <summary>What the worker does if another one has the subscription.</summary>
    public SubscriberStrategy Strategy { get; init; }

    /// <summary>The worker's name, for people. Default: the machine's name.</summary>
    public string WorkerName { get; init; } = Environment.MachineName;

    /// <summary>
    /// Whether each item's JSON is the whole line that <c>pipeline subscribe</c> prints: pairs of a query over revisions
    /// and deletions too. An item without id then has the included documents.
    /// </summary>
    internal bool AsLines { get; init; }

    /// <summary>The most documents in a batch. Default 1,000.</summary>
    public int MaxBatchCount { get; init; } = 1_000;

    /// <summary>
    /// About the most bytes in a batch, as the database stores them; one document is delivered however large it is.
    /// Default 4 MiB.
    /// </summary>
    public long MaxBatchBytes { get; init; } = 4 << 20;

    /// <summary>
    /// How long a batch may take before its documents go to another worker, each counted as an attempt.
    /// <see langword="null"/> (default): as long as the worker is connected.
    /// </summary>
    public TimeSpan? MaxBatchTime { get; init; }

    /// <summary>Whether to end once everything was delivered and no document waits for another attempt.</summary>
    public bool EndsWhenEmpty { get; init; }

    /// <summary>
    /// The wait before the second attempt to reconnect; it doubles with each further one. The first attempt is made at
    /// once. Default 0.5 s.
    /// </summary>
    public TimeSpan ReconnectDelay { get; init; } = TimeSpan.FromSeconds(0.5);

    /// <summary>The longest wait between two attempts to connect. Default 30 s.</summary>
    public TimeSpan MaxReconnectDelay { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// How long a worker tries to connect before the enumeration ends with the last error; while the subscription is
    /// paused, it waits without a limit. <see cref="Timeout.InfiniteTimeSpan"/> tries for ever. Default 2 min.
    /// </summary>
    public TimeSpan MaxReconnectTime { get; init; } = TimeSpan.FromMinutes(2);

    /// <summary>
    /// Is called when the worker has its place, for example to log it. It must return soon and not throw.
    /// </summary>
    public Action? Connected { get; init; }

    /// <summary>
    /// Is called before each attempt to reconnect, for example to log it. It must return soon and not throw.
    /// </summary>
    public Action<SubscriptionInterruption>? Interrupted { get; init; }

    /// <summary>The clock of the waits between attempts to connect.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;
}

/// <summary>What a worker does if another one has the subscription.</summary>
public enum SubscriberStrategy
{
    /// <summary>It is refused with <see cref="SubscriptionProblem.InUse"/>.</summary>
    OpenIfFree,

    /// <summary>It waits until the other one has left.</summary>
    WaitForFree,

    /// <summary>It ends the other one with <see cref="SubscriptionProblem.TakenOver"/>.</summary>
    TakeOver,

    /// <summary>Both work. The changes of one document stay in order.</summary>
    Concurrent,
}

/// <summary>A worker has lost its subscription for a while.</summary>
/// <param name="Error">Why.</param>
/// <param name="Attempt">Which attempt to reconnect follows, from 1.</param>
/// <param name="Wait">The wait before it.</param>
public sealed record SubscriptionInterruption(SubscriptionException Error, int Attempt, TimeSpan Wait);
