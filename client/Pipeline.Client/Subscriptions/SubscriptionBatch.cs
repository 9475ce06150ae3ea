using System.Collections;
using System.Text.Json;
using Pipeline.Client.Sessions;
using Pipeline.Client.Transport;

namespace Pipeline.Client;

/// <summary>Changes delivered to a worker, in the order of their commits. For one thread at a time.</summary>
public sealed class SubscriptionBatch<T> : IReadOnlyList<SubscriptionItem<T>>
    where T : class
{
    // A dead letter keeps the reason.
    private const int MaxReason = 2_000;
    private readonly ClientContext _store;
    private readonly ISubscriptionConnection? _connection;
    private readonly SubscriptionBatch<T>? _whole;
    private readonly DeliveredBatch _delivered;
    private readonly IReadOnlyList<SubscriptionItem<T>> _items;
    private readonly SortedDictionary<int, string?> _unsettled;
    private readonly List<DocumentSession> _sessions;
    private Dictionary<string, int>? _newest;

    internal SubscriptionBatch(ClientContext store, ISubscriptionConnection connection, DeliveredBatch delivered)
    {
        (_store, _connection, _delivered, _unsettled, _sessions) = (store, connection, delivered, [], []);
        _items = [.. delivered.Items.Select((item, index) => new SubscriptionItem<T>(this, item, index))];
    }

    /// <summary>A part of a batch; acknowledging or rejecting its items acts on the whole batch.</summary>
    internal SubscriptionBatch(SubscriptionBatch<T> whole, IReadOnlyList<SubscriptionItem<T>> items) =>
        (_store, _whole, _delivered, _items, _unsettled, _sessions) = (
            whole._store,
            whole,
            whole._delivered,
            items,
            whole._unsettled,
            whole._sessions
        );

    /// <summary>How many items there are; 0 in a batch that only marks the begin or end of a resync.</summary>
    public int Count => _items.Count;

    /// <inheritdoc/>
    public SubscriptionItem<T> this[int index] => _items[index];

    /// <summary>The batch's place in a resync; <see langword="null"/> outside one.</summary>
    public SubscriptionResync? Resync => _delivered.Resync;

    /// <summary>
    /// Is cancelled when the worker has lost the subscription: the batch's documents come again, to this worker or
    /// another.
    /// </summary>
    public CancellationToken Lost => _whole?.Lost ?? _connection!.Ended;

    /// <summary>
    /// Rejects an item: it is delivered again later, and parked after <see cref="SubscriptionOptions.MaxAttempts"/>.
    /// Later changes of its document wait for it. The batch's other items can be acknowledged.
    /// </summary>
    /// <param name="item">An item of this batch.</param>
    /// <param name="reason">The reason, in words; at most 2,000 characters are kept.</param>
    public void Reject(SubscriptionItem<T> item, string reason)
    {
        ArgumentException.ThrowIfNullOrEmpty(reason);
        Set(item, reason.Length > MaxReason ? reason[..MaxReason] : reason);
    }

    /// <summary>Gives an item back: it is delivered again at once, and that does not count as an attempt.</summary>
    /// <param name="item">An item of this batch.</param>
    public void Release(SubscriptionItem<T> item) => Set(item, null);

    /// <summary>
    /// Acknowledges all items that were neither rejected nor released; durable when it completes. A second call does
    /// nothing.
    /// </summary>
    /// <exception cref="SubscriptionException">The worker has lost the subscription: the items come again.</exception>
    /// <exception cref="InvalidOperationException">
    /// The batch belongs to <see cref="IDocumentSubscription{T}.RunBatchesAsync"/>, which acknowledges it.
    /// </exception>
    public async Task AcknowledgeAsync(CancellationToken cancellationToken = default)
    {
        if (_connection is null)
        {
            throw new InvalidOperationException(
                "the run acknowledges the batch when its handler has returned; reject the items that it could not process"
            );
        }

        if (IsAcknowledged)
            return;
        await _connection
            .AcknowledgeAsync([.. _unsettled.Select(u => new Unsettled(u.Key, u.Value))], cancellationToken)
            .ConfigureAwait(false);
        IsAcknowledged = true;
    }

    /// <summary>
    /// Begins a unit of work that tracks the documents of this batch: change <see cref="SubscriptionItem{T}.Document"/>
    /// and save, without loading it again. Documents that the subscription includes are loaded without a request. A
    /// change that matches the subscription is delivered again.
    /// </summary>
    /// <param name="options">How the session differs from the store's options.</param>
    public IDocumentSession OpenSession(SessionOptions? options = null)
    {
        var session = NewSession(options);
        Track(session);
        return session;
    }

    /// <inheritdoc/>
    public IEnumerator<SubscriptionItem<T>> GetEnumerator() => _items.GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    internal bool IsAcknowledged { get; private set; }

    /// <summary>How many items of the whole batch were rejected or released.</summary>
    internal int UnsettledCount => _unsettled.Count;

    internal int MaxAttempts => _connection!.MaxAttempts;

    internal DocumentSession NewSession(SessionOptions? options) => new(_store, options ?? new SessionOptions());

    /// <summary>Has a session track the batch's documents, also those that are read later.</summary>
    internal void Track(DocumentSession session)
    {
        Include(session);
        _sessions.Add(session);
        foreach (var item in _items)
        {
            if (item.Known is { } document)
                Track(session, item, document);
        }
    }

    /// <summary>Has a session load included documents without a request.</summary>
    internal void Include(DocumentSession session) => session.Keep(_delivered.Includes);

    internal T Read(SubscriptionItem<T> item)
    {
        var document = Read(item.Data.Json, item.Data.IsProjection);
        foreach (var session in _sessions)
            Track(session, item, document);
        return document;
    }

    internal T Read(ReadOnlyMemory<byte> json, bool isProjection = false)
    {
        var data = DocumentData.Parse(json);
        var read =
            DocumentReader.Read(data, _store.ModelOf(typeof(T)), setsId: !isProjection)
            ?? throw new JsonException($"the document '{data.Id}' is null");
        return read as T
            ?? throw new InvalidCastException(
                $"the document '{data.Id}' is a {read.GetType().Name}, not a {typeof(T).Name}"
            );
    }

    /// <summary>A projection is no document, and of several versions only the last can be saved.</summary>
    internal void Track(DocumentSession session, SubscriptionItem<T> item, T document)
    {
        if (_newest is null)
        {
            _newest = new Dictionary<string, int>(StringComparer.OrdinalIgnoreCase);
            for (var i = 0; i < _delivered.Items.Count; i++)
                _newest[_delivered.Items[i].Id] = i;
        }

        if (!item.Data.IsProjection && _newest[item.Id] == item.Index)
            session.Adopt(DocumentData.Parse(item.Data.Json), document);
    }

    private void Set(SubscriptionItem<T> item, string? reason)
    {
        ArgumentNullException.ThrowIfNull(item);
        if (!_items.Contains(item))
            throw new ArgumentException("the item is not of this batch", nameof(item));
        if ((_whole ?? this).IsAcknowledged)
            throw new InvalidOperationException("the batch was acknowledged before");
        _unsettled[item.Index] = reason;
    }
}
