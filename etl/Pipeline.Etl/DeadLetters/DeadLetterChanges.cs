using Pipeline.Subscriptions;

namespace Pipeline.Etl.DeadLetters;

/// <summary>
/// Follows the collection of dead letters: each call reads only the changes since the last one. Used by one thread at a
/// time.
/// </summary>
internal sealed class DeadLetterChanges
{
    private const int ReadChanges = 4096;
    private const long ReadBytes = 8L << 20;
    private static readonly CursorFilter Letters = new([DeadLetter.Collection], Deletes: true);
    private readonly List<FeedChange> _changes = [];

    /// <summary>Everything up to this position was read.</summary>
    public long Position { get; private set; }

    /// <summary>Makes the next call read all letters again.</summary>
    public void Restart() => Position = 0;

    /// <summary>Reads the new changes, oldest first.</summary>
    /// <param name="snapshot">The state to read.</param>
    /// <param name="take">Receives each change; a deletion has no body.</param>
    public void Read(IFeedSnapshot snapshot, Action<FeedChange> take)
    {
        while (Position < snapshot.LastPosition)
        {
            _changes.Clear();
            Position = Math.Max(Position, snapshot.ReadChanges(Position, Letters, ReadChanges, ReadBytes, _changes));
            foreach (var change in _changes)
                take(change);
        }
    }
}
