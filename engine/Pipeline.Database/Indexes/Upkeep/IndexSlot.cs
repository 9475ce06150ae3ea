using Pipeline.Database.Queries.Catalog;

namespace Pipeline.Database.Indexes;

/// <summary>
/// The state behind one index name: the version that answers queries, an optional replacement under construction, and
/// the callers that wait. Thread-safe.
/// </summary>
internal sealed class IndexSlot(CatalogEntry entry, IndexInstance current) : IDisposable
{
    private readonly Lock _lock = new();
    private readonly List<(long Position, TaskCompletionSource Waiter)> _waiters = [];
    private IndexInstance _current = current;
    private bool _gone;

    public CatalogEntry Entry { get; set; } = entry;

    public string Name => Entry.Definition.Name;

    public IndexInstance Current => Volatile.Read(ref _current);

    public IndexFollower? Follower { get; set; }

    public IndexInstance? Replacement { get; set; }

    public IndexFollower? ReplacementFollower { get; set; }

    /// <summary>Not kept up until it is resumed.</summary>
    public bool Paused { get; set; }

    /// <summary>When a query last used it, in ticks of UTC; 0 never.</summary>
    public long LastQueried;

    /// <summary>The last position that listeners were notified of.</summary>
    public long Told;

    /// <summary>When it was made or opened.</summary>
    public DateTimeOffset Since { get; init; }

    public IndexState State =>
        Current.Failure is not null ? IndexState.Error
        : Entry.Disabled || Current.Marker.IsBlocked ? IndexState.Disabled
        : Paused ? IndexState.Paused
        : IndexState.Normal;

    public void Replace(IndexInstance instance)
    {
        Volatile.Write(ref _current, instance);
        Replacement = null;
        Wake();
    }

    /// <summary>Another copy of the current version takes its place; a replacement stays.</summary>
    public void Exchange(IndexInstance instance)
    {
        Volatile.Write(ref _current, instance);
        Wake();
    }

    /// <summary>Done when the index has every change up to a position.</summary>
    /// <exception cref="IndexFailedException">It is in error, or becomes so.</exception>
    public Task WaitAsync(long position)
    {
        var waiter = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (_lock)
        {
            if (_gone)
                return Task.FromException(new IndexNotFoundException(Name, []));
            _waiters.Add((position, waiter));
        }

        Wake();
        if (!waiter.Task.IsCompleted)
        {
            Follower?.Hurry();
            ReplacementFollower?.Hurry();
        }

        return waiter.Task;
    }

    /// <summary>Completes the waits whose position has been reached; fails all waits if the index is gone.</summary>
    public void Wake()
    {
        var current = Current;
        lock (_lock)
        {
            for (var i = _waiters.Count - 1; i >= 0; i--)
            {
                (var position, var waiter) = _waiters[i];
                if (waiter.Task.IsCompleted || current.Position >= position)
                    waiter.TrySetResult();
                else if (current.Failure is { } failure && Replacement is null)
                    waiter.TrySetException(new IndexFailedException(Name, failure));
                else
                    continue;
                _waiters.RemoveAt(i);
            }
        }
    }

    /// <summary>Ends all waits: the index is gone.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            _gone = true;
            foreach ((_, var waiter) in _waiters)
                waiter.TrySetException(new IndexNotFoundException(Name, []));
            _waiters.Clear();
        }
    }
}
