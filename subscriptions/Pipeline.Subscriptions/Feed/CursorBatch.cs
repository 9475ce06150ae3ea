namespace Pipeline.Subscriptions;

/// <summary>
/// Changes read from one snapshot, which stays open until the batch is disposed. Used by one thread at a time.
/// </summary>
public sealed class CursorBatch : IDisposable
{
    private readonly IFeedSnapshot _snapshot;
    private readonly Action<List<FeedChange>> _takeBack;
    private List<FeedChange>? _changes;

    internal CursorBatch(
        IFeedSnapshot snapshot,
        List<FeedChange> changes,
        long position,
        Action<List<FeedChange>> takeBack
    )
    {
        _snapshot = snapshot;
        _changes = changes;
        _takeBack = takeBack;
        Position = position;
        IsAtEnd = position >= snapshot.LastPosition;
    }

    /// <summary>The changes, in the order of their positions.</summary>
    /// <exception cref="ObjectDisposedException">The batch was disposed.</exception>
    public IReadOnlyList<FeedChange> Changes => _changes ?? throw new ObjectDisposedException(nameof(CursorBatch));

    /// <summary>
    /// The position to acknowledge once all <see cref="Changes"/> are processed; any other change up to it does not
    /// match.
    /// </summary>
    public long Position { get; }

    /// <summary>Whether the batch reaches the end of its snapshot.</summary>
    public bool IsAtEnd { get; }

    /// <summary>The snapshot, for reading other documents.</summary>
    public IFeedSnapshot Snapshot => _snapshot;

    /// <inheritdoc/>
    public void Dispose()
    {
        if (_changes is not { } changes)
            return;
        _changes = null;
        _snapshot.Dispose();
        _takeBack(changes);
    }
}
