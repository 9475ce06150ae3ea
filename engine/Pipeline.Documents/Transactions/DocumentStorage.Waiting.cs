namespace Pipeline.Documents;

public abstract partial class DocumentStorage
{
    private readonly Lock _waitersLock = new();
    private readonly List<Waiter> _waiters = [];
    private long _lastPosition;
    private bool _closed;

    /// <summary>The position of the last durable change; 0 before the first.</summary>
    public long LastPosition => Volatile.Read(ref _lastPosition);

    /// <summary>Waits until there is a change after a position. The commit wakes it; waiting costs nothing.</summary>
    /// <param name="after">The position.</param>
    /// <param name="ct">Ends the waiting.</param>
    /// <returns>Done when <see cref="LastPosition"/> is greater than <paramref name="after"/>.</returns>
    /// <exception cref="ObjectDisposedException">The database was closed during the wait.</exception>
    public Task WaitForChangeAsync(long after, CancellationToken ct = default)
    {
        if (ct.IsCancellationRequested)
            return Task.FromCanceled(ct);
        if (LastPosition > after)
            return Task.CompletedTask;
        var waiter = new Waiter(after);
        lock (_waitersLock)
        {
            ObjectDisposedException.ThrowIf(_closed, this);
            if (LastPosition > after)
                return Task.CompletedTask;
            _waiters.Add(waiter);
        }

        if (ct.CanBeCanceled)
        {
            waiter.Registration = ct.UnsafeRegister(
                _ =>
                {
                    lock (_waitersLock)
                        _waiters.Remove(waiter);
                    waiter.TrySetCanceled(ct);
                },
                null
            );
            if (waiter.Task.IsCompleted)
                waiter.Registration.Dispose();
        }

        return waiter.Task;
    }

    private void OnCommitted(long transactionId)
    {
        // Before anybody is woken by the new position.
        if (IsReplica)
            Refresh();
        using var transaction = Storage.BeginRead();
        Advance(DatabasePositions.Last(transaction));
    }

    private void Advance(long position)
    {
        List<Waiter>? woken = null;
        lock (_waitersLock)
        {
            if (position <= _lastPosition)
                return;
            Volatile.Write(ref _lastPosition, position);
            for (var i = _waiters.Count - 1; i >= 0; i--)
            {
                if (_waiters[i].After >= position)
                    continue;
                (woken ??= []).Add(_waiters[i]);
                _waiters.RemoveAt(i);
            }
        }

        if (woken is null)
            return;
        foreach (var waiter in woken)
        {
            waiter.TrySetResult();
            waiter.Registration.Unregister();
        }
    }

    private void FailWaiters()
    {
        Waiter[] waiting;
        lock (_waitersLock)
        {
            _closed = true;
            waiting = [.. _waiters];
            _waiters.Clear();
        }

        foreach (var waiter in waiting)
        {
            waiter.TrySetException(
                new ObjectDisposedException(nameof(DocumentStorage), $"The database '{Name}' was closed.")
            );
            waiter.Registration.Unregister();
        }
    }

    private sealed class Waiter(long after) : TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)
    {
        internal long After { get; } = after;

        internal CancellationTokenRegistration Registration { get; set; }
    }
}
