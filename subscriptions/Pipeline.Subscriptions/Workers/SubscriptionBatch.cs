using System.Collections;
using Pipeline.Database;

namespace Pipeline.Subscriptions;

/// <summary>Changes given to a worker, in the order of their positions. Used by one caller at a time.</summary>
public sealed class SubscriptionBatch : IReadOnlyList<SubscriptionItem>
{
    private readonly Subscription _subscription;
    private readonly WorkerLease _lease;
    private DeliveryItem[]? _items;
    private MemoryHold _hold;
    private Dictionary<DeliveryItem, string>? _rejected;

    internal SubscriptionBatch(Subscription subscription, WorkerLease lease, DeliveryItem[] items, MemoryHold hold, IReadOnlyDictionary<string, Document?> includes)
    {
        (_subscription, _lease, _items, _hold, Includes) = (subscription, lease, items, hold, includes);
        (Count, LastPosition) = (items.Length, items.Length == 0 ? 0 : items[^1].Position);
    }

    /// <summary>
    /// The documents to which the paths of the query's <c>include</c> lead, each once, by id in any case; null for one that is missing. All are of one snapshot, which is at least as new as any change of the
    /// batch.
    /// </summary>
    public IReadOnlyDictionary<string, Document?> Includes { get; }

    /// <summary>Writes <see cref="Includes"/> as JSON text, <c>{"@includes":{"companies/1":{…}}}</c>; nothing where there are none.</summary>
    /// <param name="target">Where to.</param>
    public void WriteIncludes(System.Buffers.IBufferWriter<byte> target) => ItemText.WriteIncludes(Includes, target);

    /// <inheritdoc/>
    public int Count { get; }

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">The batch was acknowledged.</exception>
    public SubscriptionItem this[int index] => new(Items[index]);

    /// <summary>The position of the last change; 0 in a batch without.</summary>
    public long LastPosition { get; }

    /// <summary>
    /// Where in a resync it stands; null in ordinary times. A batch that says <see cref="ResyncPhase.Begin"/> or <see cref="ResyncPhase.End"/> has no changes, and is acknowledged as any other.
    /// </summary>
    public ResyncPhase? Resync { get; internal init; }

    private DeliveryItem[] Items => _items ?? throw new InvalidOperationException("The batch was acknowledged before.");

    /// <summary>Says that a change could not be dealt with: it is given again later, the others of the batch are acknowledged with it. Later changes of its key wait for it.</summary>
    /// <param name="item">One of this batch.</param>
    /// <param name="reason">Why, for people.</param>
    public void Reject(SubscriptionItem item, string reason)
    {
        ArgumentException.ThrowIfNullOrEmpty(reason);
        if (Array.IndexOf(Items, item.Item) < 0) throw new ArgumentException("The change is not of this batch.", nameof(item));
        (_rejected ??= [])[item.Item] = reason;
    }

    /// <summary>
    /// Acknowledges all but what was rejected; durable when it completes. What was rejected too often is parked in the same commit.
    /// </summary>
    /// <param name="effect">What to write in the same commit: the changes are then dealt with exactly once. It may be run again.</param>
    /// <param name="ct">Stops waiting for the turn to commit; once it is this batch's, it is committed.</param>
    /// <exception cref="SubscriptionException">The worker has lost the subscription: nothing was acknowledged or written.</exception>
    public async Task AcknowledgeAsync(Action<DocumentTransaction>? effect = null, CancellationToken ct = default)
    {
        DeliveryItem[] items = Items;
        await _subscription.SettleAsync(_lease, items, _rejected, effect, ct).ConfigureAwait(false);
        _items = null;
        _hold.Release();
        _lease.Spare = items;
    }

    /// <summary>Says that the worker is still at it: its lease begins anew.</summary>
    /// <exception cref="SubscriptionException">The worker has lost the subscription.</exception>
    public void ExtendLease() => _subscription.Extend(_lease);

    /// <inheritdoc/>
    public IEnumerator<SubscriptionItem> GetEnumerator() => Items.Select(i => new SubscriptionItem(i)).GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}
