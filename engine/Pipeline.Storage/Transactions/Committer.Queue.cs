using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;

namespace Pipeline.Storage;

/// <content>Takes operations from the queue.</content>
internal sealed partial class Committer
{
    /// <summary>
    /// Waits, for less than a sync takes, for callers that blocked for the previous transaction. Threads that write in
    /// a loop come back at once. Without the wait they would stay split into two groups that take turns, each with half
    /// of the operations and a separate sync. If nobody came, the next transactions skip the wait; their number doubles
    /// each time.
    /// </summary>
    /// <returns>Whether an operation was handed over.</returns>
    private bool AwaitReturning(bool cameBack)
    {
        if (Volatile.Read(ref _returned) >= Volatile.Read(ref _released))
            return false;
        if (_waitless > 0)
        {
            _waitless--;
            return false;
        }
        var started = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(started) < _store.Options.ReturnTimeout && !Volatile.Read(ref _stopping))
        {
            if (!Thread.Yield())
                Thread.SpinWait(20);
            lock (_gate)
            {
                if (_queue.Count == 0)
                    continue;
                _vainWaits = 0;
                return true;
            }
        }
        if (!cameBack)
            _waitless = 1 << (_vainWaits = Math.Min(_vainWaits + 1, 10));
        return false;
    }

    private bool HasRoom(PendingWrite first)
    {
        if (_role == StorageRole.Follower)
        {
            Refuse(first, NotLeader());
            return false;
        }
        try
        {
            _flusher.WaitForRoom();
            if (_store.Failure is null)
                return true;
            Refuse(first, _store.Failure);
        }
        catch (StorageException e)
        {
            Refuse(first, e);
        }
        return false;
    }

    /// <summary>
    /// Waits for an operation, which the caller then prepares a transaction for; false where the store is closing.
    /// </summary>
    private bool TryTakeFirst([NotNullWhen(true)] out PendingWrite? operation)
    {
        lock (_gate)
        {
            while (_preparing || _turnsWanted > 0 || (_queue.Count == 0 && _alone.Count == 0))
            {
                if (!_preparing && _turnsWanted == 0 && _stopping)
                {
                    operation = null;
                    return false;
                }
                Monitor.Wait(_gate);
            }
            _preparing = true;
        }
        operation = Take();
        return true;
    }

    /// <summary>The first operation that waits, for the thread that prepares; there is one.</summary>
    private PendingWrite Take()
    {
        lock (_gate)
            return _alone.TryDequeue(out var operation) ? operation : _queue.Dequeue();
    }

    /// <summary>
    /// Takes the next operation to merge; false if none is waiting and the journal is free for the transaction.
    /// </summary>
    private bool TryTakeMore([NotNullWhen(true)] out PendingWrite? operation)
    {
        while (true)
        {
            lock (_gate)
            {
                _waitingForMore = _waitingForLanding =
                    _queue.Count == 0 && _inFlight >= Window && !_stopping && _turnsWanted == 0;
                if (!_waitingForMore)
                    return _queue.TryDequeue(out operation);
            }
            _turn.Wait();
        }
    }
}
