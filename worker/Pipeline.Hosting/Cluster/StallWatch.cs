namespace Pipeline.Hosting.Cluster;

/// <summary>Cancels a transfer in which nothing has moved for too long. Thread-safe.</summary>
internal sealed class StallWatch : IDisposable
{
    private readonly TimeSpan _limit;
    private readonly CancellationToken _outer;
    private readonly CancellationTokenSource _stalled;
    private readonly CancellationTokenSource _either;

    /// <summary>Begins to watch.</summary>
    /// <param name="limit">How long nothing may move.</param>
    /// <param name="time">The clock.</param>
    /// <param name="ct">Cancels the transfer for other reasons.</param>
    public StallWatch(TimeSpan limit, TimeProvider time, CancellationToken ct)
    {
        (_limit, _outer) = (limit, ct);
        _stalled = new CancellationTokenSource(limit, time);
        _either = CancellationTokenSource.CreateLinkedTokenSource(_stalled.Token, ct);
    }

    /// <summary>Cancels the transfer.</summary>
    public CancellationToken Token => _either.Token;

    /// <summary>Whether the transfer was cancelled because nothing moved.</summary>
    public bool HasStalled => _stalled.IsCancellationRequested && !_outer.IsCancellationRequested;

    /// <summary>Reports that data has moved, which restarts the timeout.</summary>
    public void Move() => _stalled.CancelAfter(_limit);

    /// <inheritdoc/>
    public void Dispose()
    {
        _either.Dispose();
        _stalled.Dispose();
    }
}
