using Pipeline.Client;

namespace Pipeline.Hosting;

/// <summary>
/// Processes the documents of a subscription, one by one. It is made in a scope for each document; the scope's
/// <see cref="IDocumentSession"/> tracks the document, so that a changed one is stored by
/// <see cref="IDocumentSession.SaveChangesAsync"/>.
/// </summary>
public interface ISubscriptionHandler<T>
    where T : class
{
    /// <summary>
    /// Processes a document. If it throws, the document is delivered again later, and at last parked as a dead letter;
    /// the others continue.
    /// </summary>
    /// <param name="item">The document, with its id and version.</param>
    /// <param name="cancellationToken">Is cancelled when the host stops or the subscription is lost.</param>
    Task HandleAsync(SubscriptionItem<T> item, CancellationToken cancellationToken);
}

/// <summary>
/// Processes the documents of a subscription, batch by batch. It is made in a scope for each batch; the scope's
/// <see cref="IDocumentSession"/> tracks the batch's documents.
/// </summary>
public interface ISubscriptionBatchHandler<T>
    where T : class
{
    /// <summary>
    /// Processes a batch. If it throws, all documents of the batch are delivered again, then one by one.
    /// <see cref="SubscriptionBatch{T}.Reject"/> rejects single ones.
    /// </summary>
    /// <param name="batch">The documents. The host acknowledges them.</param>
    /// <param name="cancellationToken">Is cancelled when the host stops or the subscription is lost.</param>
    Task HandleAsync(SubscriptionBatch<T> batch, CancellationToken cancellationToken);
}

/// <summary>How a host works on a subscription.</summary>
public sealed class HostedSubscriptionOptions
{
    /// <summary>
    /// The key of the worker, database or client whose subscription it is; <see langword="null"/> for the one without a
    /// key.
    /// </summary>
    public string? Key { get; set; }

    /// <summary>
    /// The subscription is created when the host starts, or changed if it differs; <see langword="null"/> (default)
    /// works on one that exists, for example in
    /// <c>pipeline.yaml</c>.
    /// </summary>
    public SubscriptionOptions? Definition { get; set; }

    /// <summary>
    /// How the worker takes part. Default: it waits while another one has the subscription, and reconnects without a
    /// limit of time. Change it by <c>with</c> to keep that:
    /// <c>o.Worker = o.Worker with { MaxBatchCount = 100 }</c>.
    /// </summary>
    public SubscribeOptions Worker { get; set; } =
        new() { Strategy = SubscriberStrategy.WaitForFree, MaxReconnectTime = Timeout.InfiniteTimeSpan };

    /// <summary>Makes a handler once, so that a missing service fails the start and not each document.</summary>
    internal Action<IServiceProvider>? Probe { get; set; }
}
