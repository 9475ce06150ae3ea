using System.Runtime.CompilerServices;

namespace Pipeline.Subscriptions;

/// <summary>A connected worker. Used by one caller at a time; disposal leaves the subscription, and what was not acknowledged goes to another.</summary>
public sealed class SubscriptionWorker : IAsyncDisposable
{
    private readonly Subscription _subscription;
    private readonly WorkerLease _lease;
    private readonly SubscriptionWorkerOptions _options;

    internal SubscriptionWorker(Subscription subscription, WorkerLease lease, SubscriptionWorkerOptions options) => (_subscription, _lease, _options) = (subscription, lease, options);

    /// <summary>The subscription's name.</summary>
    public string Subscription => _subscription.Name;

    /// <summary>Done when the worker has lost the subscription, or has left it; says why. For those who do something else meanwhile.</summary>
    public Task<SubscriptionException> Ended => _lease.WhenEnded;

    /// <summary>Waits for changes. The batch before must have been acknowledged.</summary>
    /// <param name="untilEmpty">Whether to end where nothing is left and nothing waits to be tried again.</param>
    /// <param name="ct">Stops waiting.</param>
    /// <returns>A batch with at least one change; null at the end.</returns>
    /// <exception cref="SubscriptionException">The worker was dropped; the reason says why, and whether connecting again helps.</exception>
    public ValueTask<SubscriptionBatch?> NextAsync(bool untilEmpty = false, CancellationToken ct = default) => _subscription.NextAsync(_lease, _options, untilEmpty, ct);

    /// <summary>All batches, as they come. Each is to be acknowledged before the next is asked for.</summary>
    /// <param name="untilEmpty">As in <see cref="NextAsync"/>.</param>
    /// <param name="ct">Stops.</param>
    public async IAsyncEnumerable<SubscriptionBatch> ReadAllAsync(bool untilEmpty = false, [EnumeratorCancellation] CancellationToken ct = default)
    {
        while (await NextAsync(untilEmpty, ct).ConfigureAwait(false) is { } batch) yield return batch;
    }

    /// <summary>
    /// Gives each change to a handler, in order, and acknowledges batch by batch. A change whose handling throws is rejected with the error's message, and tried
    /// again by the subscription's rules; the others go on.
    /// </summary>
    /// <param name="handler">Deals with one change.</param>
    /// <param name="untilEmpty">As in <see cref="NextAsync"/>.</param>
    /// <param name="ct">Stops; the batch in hand is given again.</param>
    /// <returns>How many changes were dealt with.</returns>
    public async Task<long> RunAsync(Func<SubscriptionItem, CancellationToken, ValueTask> handler, bool untilEmpty = false, CancellationToken ct = default)
    {
        ArgumentNullException.ThrowIfNull(handler);
        long done = 0;
        HashSet<string> failed = new(StringComparer.OrdinalIgnoreCase);
        await foreach (SubscriptionBatch batch in ReadAllAsync(untilEmpty, ct).ConfigureAwait(false))
        {
            failed.Clear();
            for (int i = 0; i < batch.Count; i++)
            {
                SubscriptionItem item = batch[i];
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
#pragma warning disable CA1031 // Whatever the user's handler throws is the change's matter, not the subscription's.
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
