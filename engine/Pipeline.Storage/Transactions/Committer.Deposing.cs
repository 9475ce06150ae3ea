namespace Pipeline.Storage;

/// <content>Ends the leadership, and undoes what the log did not accept.</content>
internal sealed unsafe partial class Committer
{
    /// <summary>
    /// Waits until nobody prepares, and keeps others from preparing until <see cref="EndPreparing"/>.
    /// </summary>
    private void TakeTurn(bool deposing = false)
    {
        bool wake;
        lock (_gate)
        {
            if (_stopping)
                throw new ObjectDisposedException("StorageEnvironment", $"{_store.Name} is closed.");
            _deposing |= deposing;
            _turnsWanted++;
            wake = _waitingForLanding;
        }
        if (wake)
            _turn.Set();
        lock (_gate)
        {
            while (_preparing)
                Monitor.Wait(_gate);
            _preparing = true;
            _turnsWanted--;
            if (deposing)
                _deposing = false;
        }
    }

    /// <summary>
    /// Ends the time as leader: all that is not accepted is undone, the newest transaction first. Outcomes must be
    /// locked.
    /// </summary>
    private void Depose(CommitOutcome outcome)
    {
        if (_role != StorageRole.Leader)
            return;
        TakeTurn(deposing: true);
        List<SealedTransaction> undone = [];
        try
        {
            lock (_gate)
            {
                undone = [.. _sent];
                _sent.Clear();
                _inFlight = 0;
            }
            _log = null;
            _role = StorageRole.Follower;
            _takesWrites = false;
            Undo(undone);
        }
#pragma warning disable CA1031 // Whatever it is, the state in memory is not known then.
        catch (Exception e)
#pragma warning restore CA1031
        {
            _store.Fail(_store.Name, "undoing what the log has not accepted", e);
        }
        finally
        {
            EndPreparing();
        }
        foreach (var transaction in undone)
        {
            foreach (var operation in transaction.Operations)
                End(operation, new NotAcceptedException(_store.Name, transaction.State.TransactionId, outcome));
            if (transaction.Answers is { } answers)
                EndAnswers(answers, new NotAcceptedException(_store.Name, transaction.State.TransactionId, outcome));
        }
    }

    private void Undo(List<SealedTransaction> transactions)
    {
        var unlinked = new List<nint>();
        for (var i = transactions.Count - 1; i >= 0; i--)
        {
            var versions = transactions[i].Versions;
            for (var j = versions.Length - 1; j >= 0; j--)
            {
                _store.Table.Remove((PageVersion*)versions[j]);
                unlinked.Add(versions[j]);
            }
        }
        _sealed = Volatile.Read(ref _store.Published);
        if (transactions is [{ Place.File: not null } first, ..])
            _store.Journal!.Rewind(first.Place);
        (_hints.Single, _hints.Run) = (0, 0);
        _flusher.RetireUnpublished(unlinked);
    }
}
