namespace Pipeline.Subscriptions;

/// <summary>
/// A named position in the change feed, stored in the database's private state, and a reader from there.
/// </summary>
/// <remarks>
/// Only <c>AcknowledgeAsync</c>, <see cref="BeginResyncAsync"/> and <see cref="MoveAsync"/> move the position. They do
/// so in one transaction with whatever is stored together with it, so a crash before the commit repeats changes and
/// skips none. Reading ahead of the acknowledged position is free: <see cref="ReadBatch"/>
/// takes the position to start from. Reading and acknowledging may run at the same time, each by one caller at a time.
/// </remarks>
public sealed class DurableCursor
{
    private const int MaxSpareChanges = 65_536;
    private readonly IChangeFeed _feed;
    private readonly string _key;
    private List<FeedChange>? _spare;
    private long _position;

    private DurableCursor(IChangeFeed feed, string name, CursorFilter filter, SubscriptionCheckpoint? checkpoint)
    {
        _feed = feed;
        _key = name;
        Filter = filter;
        _position = checkpoint?.Position ?? 0;
        AwaitsResync = checkpoint?.Resync is not null;
    }

    /// <summary>The state key, for example <c>etl/big-orders</c>.</summary>
    public string Name => _key;

    /// <summary>Which changes it reads.</summary>
    public CursorFilter Filter { get; }

    /// <summary>The acknowledged position; 0 at the very beginning.</summary>
    public long Position => Volatile.Read(ref _position);

    /// <summary>
    /// Whether nothing is kept for it because it lagged too far; <see cref="BeginResyncAsync"/> makes it continue.
    /// </summary>
    public bool AwaitsResync { get; private set; }

    /// <summary>The last position in the feed.</summary>
    public long LastPosition => _feed.LastPosition;

    /// <summary>Opens the cursor of that name at its stored position, or at the beginning if it has none.</summary>
    /// <exception cref="CursorStateException">The value stored under the name is not a position.</exception>
    public static DurableCursor Open(IChangeFeed feed, string name, CursorFilter filter)
    {
        using var snapshot = feed.OpenSnapshot();
        var state = snapshot.GetState(name);
        return new DurableCursor(feed, name, filter, state is null ? null : SubscriptionCheckpoint.Parse(name, state));
    }

    /// <summary>Reads the changes after a position from one snapshot.</summary>
    /// <param name="after">Where to start: <see cref="Position"/>, or the end of the previous batch.</param>
    /// <param name="maxChanges">The most changes.</param>
    /// <param name="maxBytes">Bytes of documents after which the batch ends; at least one change is read.</param>
    public CursorBatch ReadBatch(long after, int maxChanges, long maxBytes)
    {
        var snapshot = _feed.OpenSnapshot(_key);
        try
        {
            var changes = Interlocked.Exchange(ref _spare, null) ?? [];
            var position = snapshot.ReadChanges(after, Filter, maxChanges, maxBytes, changes);
            return new CursorBatch(snapshot, changes, Math.Max(position, after), TakeBack);
        }
        catch
        {
            snapshot.Dispose();
            throw;
        }
    }

    /// <summary>
    /// Moves the position and stores documents with it in the same transaction; durable when it completes. A lower
    /// position stores only the documents.
    /// </summary>
    public Task AcknowledgeAsync(
        long position,
        IReadOnlyList<KeyValuePair<string, ReadOnlyMemory<byte>>> documents,
        CancellationToken cancellationToken
    ) => AcknowledgeAsync(position, documents, FeedEffects.None, cancellationToken);

    /// <summary>
    /// Does the same as the other overload, with deletions and private states in the same transaction.
    /// </summary>
    /// <inheritdoc cref="AcknowledgeAsync(long, IReadOnlyList{KeyValuePair{string, ReadOnlyMemory{byte}}}, CancellationToken)"/>
    public async Task AcknowledgeAsync(
        long position,
        IReadOnlyList<KeyValuePair<string, ReadOnlyMemory<byte>>> documents,
        FeedEffects effects,
        CancellationToken cancellationToken
    )
    {
        var moves = position > Position;
        if (!moves && documents.Count == 0 && effects.IsEmpty)
            return;
        var state = moves ? SubscriptionCheckpoint.At(position).ToBytes() : [];
        await _feed
            .CommitAsync(new FeedCommit(documents, moves ? _key : null, state) { Effects = effects }, cancellationToken)
            .ConfigureAwait(false);
        if (moves)
            Volatile.Write(ref _position, position);
    }

    /// <summary>Stops keeping anything for it, durably: from now on it may miss deletions after its position.</summary>
    public async Task LetGoAsync(CancellationToken cancellationToken)
    {
        await CommitAsync(
                SubscriptionCheckpoint.At(Position) with
                {
                    Resync = new ResyncState(null),
                },
                FeedEffects.None,
                cancellationToken
            )
            .ConfigureAwait(false);
        AwaitsResync = true;
    }

    /// <summary>
    /// Moves the position to the feed's end, from where on everything is kept again. Everything before it must be read
    /// again; the effects record that.
    /// </summary>
    /// <param name="effects">What to store with the new position; receives that position.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The new position.</returns>
    public async Task<long> BeginResyncAsync(Func<long, FeedEffects> effects, CancellationToken cancellationToken)
    {
        // A deletion purged while the cursor was released precedes this commit, so it precedes the end that is read
        // afterwards.
        await CommitAsync(
                SubscriptionCheckpoint.At(Position) with
                {
                    Resync = new ResyncState(_feed.LastPosition),
                },
                FeedEffects.None,
                cancellationToken
            )
            .ConfigureAwait(false);
        var through = _feed.LastPosition;
        await CommitAsync(SubscriptionCheckpoint.At(through), effects(through), cancellationToken)
            .ConfigureAwait(false);
        Volatile.Write(ref _position, through);
        AwaitsResync = false;
        return through;
    }

    /// <summary>
    /// Sets the position, even to a lower one, on a person's request. A cursor that waits for a resync keeps waiting.
    /// </summary>
    /// <param name="position">The new position.</param>
    /// <param name="effects">What to store with it.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    public async Task MoveAsync(long position, FeedEffects effects, CancellationToken cancellationToken)
    {
        await CommitAsync(
                SubscriptionCheckpoint.At(position) with
                {
                    Resync = AwaitsResync ? new ResyncState(null) : null,
                },
                effects,
                cancellationToken
            )
            .ConfigureAwait(false);
        Volatile.Write(ref _position, position);
    }

    /// <summary>Completes when something is committed after the given position.</summary>
    public Task WaitForChangeAsync(long after, CancellationToken cancellationToken) =>
        _feed.WaitForChangeAsync(after, cancellationToken);

    private Task CommitAsync(
        SubscriptionCheckpoint checkpoint,
        FeedEffects effects,
        CancellationToken cancellationToken
    ) => _feed.CommitAsync(new FeedCommit([], _key, checkpoint.ToBytes()) { Effects = effects }, cancellationToken);

    /// <summary>Reuses the list of a disposed batch for the next one.</summary>
    private void TakeBack(List<FeedChange> changes)
    {
        changes.Clear();
        if (changes.Capacity <= MaxSpareChanges)
            Volatile.Write(ref _spare, changes);
    }
}
