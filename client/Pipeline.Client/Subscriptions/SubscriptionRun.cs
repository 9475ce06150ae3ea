namespace Pipeline.Client.Subscriptions;

/// <summary>Hands a subscription's documents to a handler, and settles them one by one.</summary>
internal sealed class SubscriptionRun<T>(IDocumentSubscription<T> subscription, TimeProvider time)
    where T : class
{
    private const string Overtaken = "an earlier change of the same document was rejected";

    // How long a cancelled run may take to acknowledge its processed items.
    private static readonly TimeSpan LastWords = TimeSpan.FromSeconds(5);
    private readonly HashSet<string> _failed = new(StringComparer.OrdinalIgnoreCase);
    private long _done;

    /// <summary>Runs a handler for each item.</summary>
    public Task<long> RunAsync(
        Func<SubscriptionItem<T>, CancellationToken, Task> handler,
        bool deletions,
        CancellationToken cancellationToken
    ) =>
        RunAsync(
            batch => batch.Select(item => new SubscriptionBatch<T>(batch, [item])),
            (part, ct) => deletions || !part[0].IsDeleted ? handler(part[0], ct) : throw Deletion(part[0].Id),
            cancellationToken
        );

    /// <summary>
    /// Runs a handler for each batch. What was delivered before comes alone, in its place between the others.
    /// </summary>
    public Task<long> RunBatchesAsync(
        Func<SubscriptionBatch<T>, CancellationToken, Task> handler,
        CancellationToken cancellationToken
    ) => RunAsync(Parts, handler, cancellationToken);

    private static IEnumerable<SubscriptionBatch<T>> Parts(SubscriptionBatch<T> batch)
    {
        for (int start = 0, end; start < batch.Count; start = end)
        {
            end = start + 1;
            while (batch[start].Attempts == 0 && end < batch.Count && batch[end].Attempts == 0)
                end++;
            yield return new SubscriptionBatch<T>(batch, [.. batch.Skip(start).Take(end - start)]);
        }
    }

    private async Task<long> RunAsync(
        Func<SubscriptionBatch<T>, IEnumerable<SubscriptionBatch<T>>> split,
        Func<SubscriptionBatch<T>, CancellationToken, Task> handler,
        CancellationToken cancellationToken
    )
    {
        await foreach (var batch in subscription.WithCancellation(cancellationToken).ConfigureAwait(false))
        {
            using var either = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, batch.Lost);
            _failed.Clear();
            var processed = 0;
            foreach (var part in split(batch))
            {
                if (
                    either.IsCancellationRequested
                    || !await TryHandleAsync(part, handler, either.Token).ConfigureAwait(false)
                )
                {
                    break;
                }

                processed += part.Count;
            }

            if (!cancellationToken.IsCancellationRequested)
                continue;
            await LeaveAsync(batch, processed).ConfigureAwait(false);
            cancellationToken.ThrowIfCancellationRequested();
        }

        return _done;
    }

    /// <summary>Handles items; false if that was interrupted.</summary>
    private async Task<bool> TryHandleAsync(
        SubscriptionBatch<T> part,
        Func<SubscriptionBatch<T>, CancellationToken, Task> handler,
        CancellationToken cancellationToken
    )
    {
        if (part.Count == 1 && _failed.Contains(part[0].Id))
        {
            part.Reject(part[0], Overtaken);
            return true;
        }

        try
        {
            var unsettled = part.UnsettledCount;
            await handler(part, cancellationToken).ConfigureAwait(false);
            _done += part.Count - (part.UnsettledCount - unsettled);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            return false;
        }
#pragma warning disable CA1031 // An error of the user's handler rejects the documents and does not end the subscription.
        catch (Exception e) when (e is not DeletionException)
#pragma warning restore CA1031
        {
            foreach (var item in part)
            {
                _failed.Add(item.Id);
                part.Reject(item, e.Message.Length > 0 ? e.Message : e.GetType().Name);
            }
        }

        return true;
    }

    /// <summary>Acknowledges the items processed before the cancellation and returns the rest to the server.</summary>
    private async Task LeaveAsync(SubscriptionBatch<T> batch, int processed)
    {
        for (var i = processed; i < batch.Count; i++)
            batch.Release(batch[i]);
        if (processed == 0)
            return;
        using var late = new CancellationTokenSource(LastWords, time);
        try
        {
            await batch.AcknowledgeAsync(late.Token).ConfigureAwait(false);
        }
        catch (Exception e) when (e is SubscriptionException or OperationCanceledException)
        {
            // The subscription is lost or the server does not answer: the batch comes again.
            return;
        }
    }

    private static DeletionException Deletion(string id) =>
        new(
            $"'{id}' was deleted, and the subscription delivers deletions: use {nameof(IDocumentSubscription<T>.RunItemsAsync)}, whose handler sees {nameof(SubscriptionItem<T>.IsDeleted)}"
        );

    private sealed class DeletionException(string message) : InvalidOperationException(message);
}
