using Pipeline.Subscriptions;

namespace Pipeline.Etl.DeadLetters;

/// <summary>
/// Counts the stored dead letters of each task. Thread-safe.
/// </summary>
/// <remarks>
/// The first count reads the collection of dead letters; each later one reads only its changes since the last count.
/// </remarks>
internal sealed class DeadLetterCounter(IChangeFeed feed)
{
    private const int ReadChanges = 4096;
    private const long ReadBytes = 8L << 20;
    private static readonly CursorFilter Letters = new([DeadLetter.Collection], Deletes: true);
    private readonly Lock _lock = new();
    private readonly Dictionary<string, string> _taskOf = new(StringComparer.OrdinalIgnoreCase);
    private readonly Dictionary<string, long> _counts = new(StringComparer.Ordinal);
    private readonly List<FeedChange> _changes = [];
    private long _seen;

    /// <summary>The number of letters in the last durable commit, by task. Tasks without letters are left out.</summary>
    public IReadOnlyDictionary<string, long> Count()
    {
        lock (_lock)
        {
            if (_seen < feed.LastPosition)
            {
                using var snapshot = feed.OpenSnapshot("dead letters");
                Read(snapshot);
            }

            return new Dictionary<string, long>(_counts, StringComparer.Ordinal);
        }
    }

    private void Read(IFeedSnapshot snapshot)
    {
        // Deletions after the last count may be gone from the feed, so that only a new count is right.
        if (_seen < snapshot.PurgedThrough)
        {
            _taskOf.Clear();
            _counts.Clear();
            _seen = 0;
        }

        while (_seen < snapshot.LastPosition)
        {
            _changes.Clear();
            _seen = Math.Max(_seen, snapshot.ReadChanges(_seen, Letters, ReadChanges, ReadBytes, _changes));
            foreach (var change in _changes)
            {
                Remove(change.Document.Id);
                if (
                    !change.Document.IsDeleted
                    && ParkedLetter.Read(change.Document.Id, change.Document.Body, withContent: false).Task is { } task
                )
                {
                    _taskOf.Add(change.Document.Id, task);
                    _counts[task] = _counts.GetValueOrDefault(task) + 1;
                }
            }
        }
    }

    private void Remove(string id)
    {
        if (_taskOf.Remove(id, out var task) && --_counts[task] == 0)
            _counts.Remove(task);
    }
}
