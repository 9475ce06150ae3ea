using System.Collections;
using Pipeline.Documents;

namespace Pipeline.Subscriptions;

/// <summary>Changes delivered to a worker, in the order of their positions. Used by one caller at a time.</summary>
public sealed class SubscriptionBatch : IReadOnlyList<SubscriptionItem>
{
    private readonly Subscription _subscription;
    private readonly WorkerLease _lease;
    private DeliveryItem[]? _items;
    private MemoryHold _hold;
    private Dictionary<DeliveryItem, string?>? _rejected;

    internal SubscriptionBatch(
        Subscription subscription,
        WorkerLease lease,
        DeliveryItem[] items,
        MemoryHold hold,
        IReadOnlyDictionary<string, Document?> includes
    )
    {
        (_subscription, _lease, _items, _hold, Includes) = (subscription, lease, items, hold, includes);
        (Count, LastPosition) = (items.Length, items.Length == 0 ? 0 : items[^1].Position);
    }

    /// <summary>
    /// The documents that the query's <c>include</c> paths lead to, each once, by id without regard to case; null for a
    /// missing one. All come from one snapshot, which is at least as new as any change of the batch.
    /// </summary>
    public IReadOnlyDictionary<string, Document?> Includes { get; }

    /// <summary>
    /// Writes <see cref="Includes"/> as JSON text, <c>{"@includes":{"companies/1":{…}}}</c>; nothing if there are none.
    /// </summary>
    /// <param name="target">The target.</param>
    public void WriteIncludes(System.Buffers.IBufferWriter<byte> target) => ItemText.WriteIncludes(Includes, target);

    /// <inheritdoc/>
    public int Count { get; }

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">The batch was acknowledged.</exception>
    public SubscriptionItem this[int index] => new(Items[index]);

    /// <summary>The position of the last change; 0 if the batch is empty.</summary>
    public long LastPosition { get; }

    /// <summary>
    /// The batch's place in a resync; null outside one. A batch that says <see cref="ResyncPhase.Begin"/> or
    /// <see cref="ResyncPhase.End"/> has no changes, and is acknowledged like any other.
    /// </summary>
    public ResyncPhase? Resync { get; internal init; }

    private DeliveryItem[] Items =>
        _items ?? throw new InvalidOperationException("The batch was already acknowledged.");

    /// <summary>
    /// Rejects a change: it is delivered again later. The batch's other changes can still be acknowledged. Later
    /// changes of its key wait for it.
    /// </summary>
    /// <param name="item">A change of this batch.</param>
    /// <param name="reason">The reason, in words.</param>
    public void Reject(SubscriptionItem item, string reason)
    {
        ArgumentException.ThrowIfNullOrEmpty(reason);
        Except(item, reason);
    }

    /// <summary>
    /// Gives a change back: it is delivered again at once, and that does not count as an attempt. Later changes of its
    /// key wait for it.
    /// </summary>
    /// <param name="item">A change of this batch.</param>
    public void Release(SubscriptionItem item) => Except(item, null);

    /// <summary>
    /// Acknowledges all changes that were neither rejected nor released; durable when it completes. Changes rejected
    /// too often are parked in the same commit.
    /// </summary>
    /// <param name="effect">
    /// Writes in the same commit, so that the changes are processed exactly once. It may run more than once.
    /// </param>
    /// <param name="ct">Stops waiting for the turn to commit; once its turn has come, the batch is committed.</param>
    /// <exception cref="SubscriptionException">
    /// The worker has lost the subscription; nothing was acknowledged or written.
    /// </exception>
    public async Task AcknowledgeAsync(Action<DocumentTransaction>? effect = null, CancellationToken ct = default)
    {
        var items = Items;
        await _subscription.SettleAsync(_lease, items, _rejected, effect, ct).ConfigureAwait(false);
        _items = null;
        _hold.Release();
        _lease.Spare = items;
    }

    /// <summary>Renews the worker's lease.</summary>
    /// <exception cref="SubscriptionException">The worker has lost the subscription.</exception>
    public void ExtendLease() => _subscription.Extend(_lease);

    /// <inheritdoc/>
    public IEnumerator<SubscriptionItem> GetEnumerator() => Items.Select(i => new SubscriptionItem(i)).GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    private void Except(SubscriptionItem item, string? reason)
    {
        if (Array.IndexOf(Items, item.Item) < 0)
            throw new ArgumentException("The change does not belong to this batch.", nameof(item));
        (_rejected ??= [])[item.Item] = reason;
    }
}
