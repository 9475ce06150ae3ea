using Pipeline.Client.Transport;

namespace Pipeline.Client.Subscriptions;

/// <summary>A worker that is connected for each enumeration.</summary>
internal sealed class DocumentSubscription<T>(ClientContext store, string name, SubscribeOptions options)
    : IDocumentSubscription<T>
    where T : class
{
    public string Name => name;

    public async IAsyncEnumerator<SubscriptionBatch<T>> GetAsyncEnumerator(
        CancellationToken cancellationToken = default
    )
    {
        var link = new SubscriptionLink(store.Transport, name, options);
        await using var _ = link.ConfigureAwait(false);
        while (await link.NextAsync(cancellationToken).ConfigureAwait(false) is { } delivered)
        {
            var batch = new SubscriptionBatch<T>(store, link.Connection, delivered);
            yield return batch;
            try
            {
                await batch.AcknowledgeAsync(cancellationToken).ConfigureAwait(false);
            }
            catch (SubscriptionException e)
            {
                // The batch comes again.
                await link.RecoverAsync(e, cancellationToken).ConfigureAwait(false);
            }
        }
    }

    public Task<long> RunAsync(Func<T, CancellationToken, Task> handler, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return new SubscriptionRun<T>(this, options.Time).RunAsync(
            (item, ct) => handler(item.Document, ct),
            deletions: false,
            cancellationToken
        );
    }

    public Task<long> RunItemsAsync(
        Func<SubscriptionItem<T>, CancellationToken, Task> handler,
        CancellationToken cancellationToken
    )
    {
        ArgumentNullException.ThrowIfNull(handler);
        return new SubscriptionRun<T>(this, options.Time).RunAsync(handler, deletions: true, cancellationToken);
    }

    public Task<long> RunBatchesAsync(
        Func<SubscriptionBatch<T>, CancellationToken, Task> handler,
        CancellationToken cancellationToken
    )
    {
        ArgumentNullException.ThrowIfNull(handler);
        return new SubscriptionRun<T>(this, options.Time).RunBatchesAsync(handler, cancellationToken);
    }
}
