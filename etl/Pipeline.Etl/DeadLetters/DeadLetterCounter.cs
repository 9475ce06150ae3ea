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
    private readonly Lock _lock = new();
    private readonly Dictionary<string, string> _taskOf = new(StringComparer.OrdinalIgnoreCase);
    private readonly Dictionary<string, long> _counts = new(StringComparer.Ordinal);
    private readonly DeadLetterChanges _changes = new();

    /// <summary>
    /// The number of letters in the last durable commit, by task. Tasks without letters are left out.
    /// </summary>
    public IReadOnlyDictionary<string, long> Count()
    {
        lock (_lock)
        {
            if (_changes.Position < feed.LastPosition)
            {
                using var snapshot = feed.OpenSnapshot("dead letters");
                Read(snapshot);
            }

            return new Dictionary<string, long>(_counts, StringComparer.Ordinal);
        }
    }

    private void Read(IFeedSnapshot snapshot)
    {
        // Deletions after the last count may have been purged from the feed. Then only a new count is right.
        if (_changes.Position < snapshot.PurgedThrough)
        {
            _taskOf.Clear();
            _counts.Clear();
            _changes.Restart();
        }

        _changes.Read(snapshot, Count);
    }

    private void Count(FeedChange change)
    {
        Remove(change.Document.Id);
        if (
            change.Document.IsDeleted
            || ParkedLetter.Read(change.Document.Id, change.Document.Body, withContent: false).Task is not { } task
        )
        {
            return;
        }

        _taskOf.Add(change.Document.Id, task);
        _counts[task] = _counts.GetValueOrDefault(task) + 1;
    }

    private void Remove(string id)
    {
        if (_taskOf.Remove(id, out var task) && --_counts[task] == 0)
            _counts.Remove(task);
    }
}
