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
