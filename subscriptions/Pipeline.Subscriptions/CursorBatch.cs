namespace Pipeline.Subscriptions;

/// <summary>Changes read from one snapshot, which stays open until the batch is disposed. Used by one thread at a time.</summary>
public sealed class CursorBatch : IDisposable
{
    private readonly IFeedSnapshot _snapshot;

    internal CursorBatch(IFeedSnapshot snapshot, IReadOnlyList<FeedChange> changes, long position)
    {
        _snapshot = snapshot;
        Changes = changes;
        Position = position;
        IsAtEnd = position >= snapshot.LastPosition;
    }

    /// <summary>The changes, in the order of their positions.</summary>
    public IReadOnlyList<FeedChange> Changes { get; }

    /// <summary>The position to acknowledge once all of <see cref="Changes"/> are dealt with; everything up to it that is not here does not match.</summary>
    public long Position { get; }

    /// <summary>Whether the batch reaches the end of its snapshot.</summary>
    public bool IsAtEnd { get; }

    /// <summary>The snapshot, for the other documents in it.</summary>
    public IFeedSnapshot Snapshot => _snapshot;

    /// <inheritdoc/>
    public void Dispose() => _snapshot.Dispose();
}
