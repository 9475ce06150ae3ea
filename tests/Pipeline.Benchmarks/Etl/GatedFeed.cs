using Pipeline.Subscriptions;

namespace Pipeline.Benchmarks.Etl;

/// <summary>
/// A change feed that hides changes made after the gate closed, so that a task is connected and warm when its backlog
/// appears.
/// </summary>
internal sealed class GatedFeed(IChangeFeed inner) : IChangeFeed
{
    private TaskCompletionSource? _gate;
    private long _shown;

    public string DatabaseName => inner.DatabaseName;

    public string DatabaseId => inner.DatabaseId;

    public long LastPosition => Volatile.Read(ref _gate) is null ? inner.LastPosition : _shown;

    public void Close()
    {
        _shown = inner.LastPosition;
        Volatile.Write(ref _gate, new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));
    }

    public void Open() => Interlocked.Exchange(ref _gate, null)!.SetResult();

    public async Task WaitForChangeAsync(long after, CancellationToken cancellationToken)
    {
        if (Volatile.Read(ref _gate) is { } gate && after >= _shown)
            await gate.Task.WaitAsync(cancellationToken);
        await inner.WaitForChangeAsync(after, cancellationToken);
        // A waiter that was let in before the gate was closed must not pass it afterwards.
        if (Volatile.Read(ref _gate) is { } closed && after >= _shown)
            await closed.Task.WaitAsync(cancellationToken);
    }

    public IFeedSnapshot OpenSnapshot() => inner.OpenSnapshot();

    public Task CommitAsync(FeedCommit commit, CancellationToken cancellationToken) =>
        inner.CommitAsync(commit, cancellationToken);
}
