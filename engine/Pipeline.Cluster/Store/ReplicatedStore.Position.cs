using Pipeline.Storage;

namespace Pipeline.Cluster;

/// <content>How far the log was read, and how far that is durable.</content>
internal sealed partial class ReplicatedStore
{
    /// <summary>
    /// After how many records without a transaction the position is kept anew, so that beats do not hold back the trim.
    /// </summary>
    public int IdlePlaces { get; init; } = 64;

    /// <summary>What comes before this place of the log this node never reads again, whatever crash comes.</summary>
    /// <remarks>
    /// Thread-safe. A leader keeps positions of what the log has acknowledged, which it may not have read yet: it needs the
    /// log from where it reads.
    /// </remarks>
    public long KeptPlace => Volatile.Read(ref _keptPlace);

    /// <summary>
    /// Keeps how far the log was read. Only a position whose transactions the store's disk holds for certain may be
    /// kept, as what comes before it is never read again.
    /// </summary>
    /// <exception cref="StorageFailedException">A write or sync failed, now or before.</exception>
    public void SavePosition()
    {
        var hasEnded = Stall is null && Loop is { HasEnded: true, Boundary: { } end } && _savedPlace < end.Place;
        // What the log has after its end nobody reads again, so the store must be whole.
        if (hasEnded && _store.DurableTransaction < _store.LastCommittedTransaction)
            _store.Flush();
        var durable = _store.DurableTransaction;
        ReadPosition? newest = null;
        while (_volatile.TryPeek(out var oldest) && oldest.State.Transaction <= durable + 1)
            newest = _volatile.Dequeue();
        if (
            Stall is null
            && Loop.Boundary is { } idle
            && idle.State.Transaction <= durable + 1
            && (hasEnded || idle.Place >= (newest?.Place ?? _savedPlace) + IdlePlaces)
        )
        {
            newest = idle;
        }
        if (newest is { } position)
        {
            _file.Save(position);
            _savedPlace = position.Place;
        }
        Volatile.Write(ref _keptPlace, Math.Min(_savedPlace, Loop.Place));
    }

    /// <summary>
    /// The published state and the place in the log that belongs to it, for a copy of the store; null while the node
    /// does nothing, because its store may then differ from the log.
    /// </summary>
    public CopyPoint? FindHere()
    {
        if (Stall is not null || Loop.Role == NodeRole.Stopped)
            return null;
        using var snapshot = _store.BeginRead("refill");
        var position = _position;
        if (Loop.Boundary is { } read && read.Place > position.Place && read.State.Transaction <= snapshot.Id + 1)
            position = read;
        return new CopyPoint(position, snapshot.LogPosition, snapshot.LogState);
    }
}
