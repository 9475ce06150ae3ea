namespace Pipeline.Client;

/// <summary>
/// A worker of a subscription. Each enumeration connects one worker, and leaving it by <c>break</c>, an exception or
/// cancellation releases the subscription at once. Nothing is connected before. Thread-safe; an enumeration is for one
/// caller at a time.
/// </summary>
/// <remarks>
/// A batch is acknowledged when the next one is asked for, or before by
/// <see cref="SubscriptionBatch{T}.AcknowledgeAsync"/>. What is not acknowledged comes again, so a document may come
/// more than once. A worker that loses the connection reconnects as <see cref="SubscribeOptions"/> says; an error that
/// does not pass ends the enumeration with a <see cref="SubscriptionException"/>.
/// </remarks>
public interface IDocumentSubscription<T> : IAsyncEnumerable<SubscriptionBatch<T>>
    where T : class
{
    /// <summary>The subscription's name.</summary>
    string Name { get; }

    /// <summary>
    /// Hands each document to a handler, one after another, until it is cancelled. A document whose handler throws is
    /// delivered again later, and parked as a dead letter after <see cref="SubscriptionOptions.MaxAttempts"/>; the
    /// others continue.
    /// </summary>
    /// <param name="handler">
    /// Processes one document. Its token is cancelled when the document has gone to another worker, too.
    /// </param>
    /// <param name="cancellationToken">
    /// Ends the run. Documents that were processed are acknowledged, and the rest of their batch counts as not
    /// delivered.
    /// </param>
    /// <returns>
    /// How many documents were processed, with <see cref="SubscribeOptions.EndsWhenEmpty"/>; otherwise it ends only
    /// with an exception.
    /// </returns>
    /// <exception cref="SubscriptionException">The subscription cannot be used, or no longer.</exception>
    /// <exception cref="InvalidOperationException">
    /// The subscription delivered a deletion; use <see cref="RunItemsAsync"/>.
    /// </exception>
    /// <exception cref="OperationCanceledException">It was cancelled.</exception>
    Task<long> RunAsync(Func<T, CancellationToken, Task> handler, CancellationToken cancellationToken = default);

    /// <summary>
    /// As <see cref="RunAsync"/>; the handler also sees the id, the version, deletions and earlier attempts, and can
    /// open a session on the document.
    /// </summary>
    /// <param name="handler">Processes one item.</param>
    /// <param name="cancellationToken">Ends the run.</param>
    Task<long> RunItemsAsync(
        Func<SubscriptionItem<T>, CancellationToken, Task> handler,
        CancellationToken cancellationToken = default
    );

    /// <summary>
    /// As <see cref="RunAsync"/>, batch by batch. If the handler throws, all documents of its batch are delivered
    /// again. They then come one by one, so that one bad document parks only itself.
    /// </summary>
    /// <param name="handler">Processes a batch. It may reject single items; the run acknowledges the others.</param>
    /// <param name="cancellationToken">Ends the run.</param>
    Task<long> RunBatchesAsync(
        Func<SubscriptionBatch<T>, CancellationToken, Task> handler,
        CancellationToken cancellationToken = default
    );
}

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
