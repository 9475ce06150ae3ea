using Pipeline.Storage;

namespace Pipeline.Cluster;

/// <content>How far the log was read, and how far that is durable.</content>
internal sealed partial class ReplicatedStore
{
    /// <summary>
    /// After how many records without a transaction the position is saved again, so that a log of beats can be trimmed.
    /// </summary>
    public int IdlePlaces { get; init; } = 64;

    /// <summary>The first place of the log that this node may still read again, even after a crash.</summary>
    /// <remarks>
    /// Thread-safe. A leader saves positions that the log has acknowledged but that it may not have read yet, so it
    /// still needs the log from where it reads.
    /// </remarks>
    public long KeptPlace => Volatile.Read(ref _keptPlace);

    /// <summary>
    /// Saves how far the log was read. Only a position whose transactions are durable in the store may be saved,
    /// because records before it are never read again.
    /// </summary>
    /// <exception cref="StorageFailedException">A write or sync failed, now or before.</exception>
    public void SavePosition()
    {
        var hasEnded = Stall is null && Loop is { HasEnded: true, Boundary: { } end } && _savedPlace < end.Place;
        // No node reads past the end of the log, so the store must be durable up to there.
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
    /// The published state and the place in the log that belongs to it, for a copy of the store; null while the node is
    /// stopped, because its store may then differ from the log.
    /// </summary>
    public CopyPoint? FindCopyPoint()
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
