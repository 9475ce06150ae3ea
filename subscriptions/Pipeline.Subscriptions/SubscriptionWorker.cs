using System.Runtime.CompilerServices;

namespace Pipeline.Subscriptions;

/// <summary>
/// A connected worker. Used by one caller at a time. Disposal leaves the subscription, and unacknowledged changes go to
/// another worker.
/// </summary>
public sealed class SubscriptionWorker : IAsyncDisposable
{
    private readonly Subscription _subscription;
    private readonly WorkerLease _lease;
    private readonly SubscriptionWorkerOptions _options;

    internal SubscriptionWorker(Subscription subscription, WorkerLease lease, SubscriptionWorkerOptions options) =>
        (_subscription, _lease, _options) = (subscription, lease, options);

    /// <summary>The subscription's name.</summary>
    public string Subscription => _subscription.Name;

    /// <summary>
    /// Completes when the worker loses or leaves the subscription, with the reason. For callers that do other work in
    /// the meantime.
    /// </summary>
    public Task<SubscriptionException> Ended => _lease.WhenEnded;

    /// <summary>Waits for changes. The previous batch must have been acknowledged.</summary>
    /// <param name="untilEmpty">Whether to end when nothing is left and no change waits for a retry.</param>
    /// <param name="ct">Stops waiting.</param>
    /// <returns>A batch with at least one change; null at the end.</returns>
    /// <exception cref="SubscriptionException">
    /// The worker was dropped; the exception gives the reason and whether reconnecting helps.
    /// </exception>
    public ValueTask<SubscriptionBatch?> NextAsync(bool untilEmpty = false, CancellationToken ct = default) =>
        _subscription.NextAsync(_lease, _options, untilEmpty, ct);

    /// <summary>Enumerates the batches as they arrive. Acknowledge each before requesting the next.</summary>
    /// <param name="untilEmpty">As in <see cref="NextAsync"/>.</param>
    /// <param name="ct">Ends the enumeration.</param>
    public async IAsyncEnumerable<SubscriptionBatch> ReadAllAsync(
        bool untilEmpty = false,
        [EnumeratorCancellation] CancellationToken ct = default
    )
    {
        while (await NextAsync(untilEmpty, ct).ConfigureAwait(false) is { } batch)
            yield return batch;
    }

    /// <summary>
    /// Passes each change to a handler, in order, and acknowledges batch by batch. If the handler throws, the change is
    /// rejected with the error's message and retried by the subscription's rules; the others continue.
    /// </summary>
    /// <param name="handler">Processes one change.</param>
    /// <param name="untilEmpty">As in <see cref="NextAsync"/>.</param>
    /// <param name="ct">Stops; the current batch is delivered again.</param>
    /// <returns>How many changes were processed.</returns>
    public async Task<long> RunAsync(
        Func<SubscriptionItem, CancellationToken, ValueTask> handler,
        bool untilEmpty = false,
        CancellationToken ct = default
    )
    {
        ArgumentNullException.ThrowIfNull(handler);
        long done = 0;
        HashSet<string> failed = new(StringComparer.OrdinalIgnoreCase);
        await foreach (var batch in ReadAllAsync(untilEmpty, ct).ConfigureAwait(false))
        {
            failed.Clear();
            for (var i = 0; i < batch.Count; i++)
            {
                var item = batch[i];
                if (failed.Contains(item.Id))
                {
                    batch.Reject(item, "an earlier change of the same document was rejected");
                    continue;
                }

                try
                {
                    await handler(item, ct).ConfigureAwait(false);
                    done++;
                }
#pragma warning disable CA1031 // An error of the user's handler rejects the change and does not end the subscription.
                catch (Exception e) when (e is not OperationCanceledException || !ct.IsCancellationRequested)
#pragma warning restore CA1031
                {
                    failed.Add(item.Id);
                    batch.Reject(item, e.Message);
                }

                _subscription.ExtendIfHalfOver(_lease);
            }

            await batch.AcknowledgeAsync(null, ct).ConfigureAwait(false);
        }

        return done;
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        _subscription.Leave(_lease);
        return ValueTask.CompletedTask;
    }
}
