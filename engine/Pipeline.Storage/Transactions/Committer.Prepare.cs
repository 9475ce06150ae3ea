using System.Diagnostics.CodeAnalysis;

namespace Pipeline.Storage;

internal sealed partial class Committer
{
    private readonly int _slot;
    private readonly AllocationHints _hints = new();
    private readonly List<nint> _touched = [];
    private readonly Queue<PendingWrite> _alone = new();
    private readonly JournalEntry[] _entries = [new(), new()];
    private int _nextEntry;
    private bool _waiting;

    /// <summary>The state of the last sealed transaction: durable, or on its way.</summary>
    private StoreState _sealed;

    private void Prepare()
    {
        var operations = new List<PendingWrite>();
        while (TryTakeFirst(out var first))
        {
            if (!HasRoom(first))
                continue;
            var transaction = Begin();
            Run(ref transaction, operations, first);
            if (!first.Alone)
                Merge(ref transaction, operations);
            if (transaction.Writer.Changes == 0)
                EndUnchanged(transaction, operations);
            else if (TrySeal(transaction, operations, out var ready))
                Submit(ready);
            operations = [];
        }
        foreach (var entry in _entries)
            WaitUntilLanded(entry);
    }

    /// <summary>Runs what waits, and what arrives while the transaction before is still being written.</summary>
    private void Merge(ref WriteTransaction transaction, List<PendingWrite> operations)
    {
        while (operations.Count < MaxMergedOperations && transaction.Writer.Bytes < _store.Options.MaxMergedBytes && _store.Failure is null)
        {
            if (!TryTakeMore(out var next))
                return;
            Run(ref transaction, operations, next);
        }
    }

    /// <summary>
    /// Runs one operation. One that throws fails alone: where it had changed something, all is rolled back and those before it are run again.
    /// </summary>
    private void Run(ref WriteTransaction transaction, List<PendingWrite> operations, PendingWrite operation)
    {
        if (operation.Cancellation.IsCancellationRequested)
        {
            Refuse(operation, new OperationCanceledException(operation.Cancellation));
            return;
        }
        var changes = transaction.Writer.Changes;
        Exception error;
        try
        {
            operation.Run(transaction);
            operations.Add(operation);
            return;
        }
#pragma warning disable CA1031 // Whatever the caller's operation throws is the caller's.
        catch (Exception e)
#pragma warning restore CA1031
        {
            error = e;
        }
        var unchanged = transaction.Writer.Changes == changes;
        var again = unchanged ? [] : operations.ToArray();
        if (!unchanged)
        {
            Rollback(transaction);
            transaction = Begin();
            operations.Clear();
        }
        if (error is TransactionTooLargeException && again.Length > 0)
        {
            operation.Alone = true;
            _alone.Enqueue(operation);
        }
        else
        {
            Refuse(operation, error);
        }
        foreach (var other in again)
            Run(ref transaction, operations, other);
    }

    private WriteTransaction Begin()
    {
        _store.Readers.Enter(_slot, _sealed.TransactionId);
        _touched.Clear();
        return new WriteTransaction(new WriterPages(_store.Table, _store.Data, _store.Scratch, _store.Options.MaxTransactionBytes, _sealed, _hints, _touched));
    }

    private void Rollback(WriteTransaction transaction)
    {
        transaction.Dispose();
        transaction.Writer.Rollback();
        _store.Readers.Leave(_slot);
    }

    /// <summary>Nothing was changed: the operations are done when what they have read is durable.</summary>
    private void EndUnchanged(WriteTransaction transaction, List<PendingWrite> operations)
    {
        Rollback(transaction);
        WaitUntilLanded(null);
        foreach (var operation in operations)
        {
            if (_store.Failure is { } failure)
                Refuse(operation, failure);
            else
                Complete(operation);
        }
    }

    /// <summary>
    /// Completes the transaction's pages and builds its journal entry. The place in the journal is reserved here, before anything is written:
    /// when there is no space the transaction is rolled back and nothing is at risk.
    /// </summary>
    private bool TrySeal(WriteTransaction transaction, List<PendingWrite> operations, [NotNullWhen(true)] out SealedTransaction? ready)
    {
        ready = null;
        Exception error;
        try
        {
            transaction.Catalog.Save();
            var writer = transaction.Writer;
            var versions = writer.Seal();
            var state = writer.ToState(_store.Options.TimeProvider.GetUtcNow().UtcTicks);
            var place = default(JournalPlace);
            JournalEntry? entry = null;
            if (_store.Journal is { } journal)
            {
                entry = _entries[_nextEntry ^= 1];
                writer.WriteTo(entry);
                place = journal.Reserve(entry.AlignedLength);
                var checksum = entry.Finish(_store.Checkpoint.StoreId, place.Number, _sealed.Journal.Chain, state);
                state = state with { Journal = new JournalPosition(place.Number, place.Offset + entry.AlignedLength, checksum) };
            }
            transaction.Dispose();
            _store.Readers.Leave(_slot);
            _sealed = state;
            ready = new SealedTransaction(state, versions, operations, place, entry);
            return true;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            error = _store.Fail(_store.Journal!.Directory, "journal file creation", e);
        }
#pragma warning disable CA1031 // Whatever it is, the waiting callers get it and the thread goes on.
        catch (Exception e)
#pragma warning restore CA1031
        {
            error = e;
        }
        Rollback(transaction);
        foreach (var operation in operations)
            Refuse(operation, error);
        return false;
    }

    private void Submit(SealedTransaction transaction)
    {
        lock (_gate)
        {
            WaitUntilLanded(null);
            _inFlight = transaction;
            Monitor.PulseAll(_gate);
        }
    }

    private void WaitUntilLanded(JournalEntry? disposed)
    {
        lock (_gate)
        {
            _waiting = true;
            while (_inFlight is not null)
                Monitor.Wait(_gate);
            _waiting = false;
        }
        disposed?.Dispose();
    }

    private bool HasRoom(PendingWrite first)
    {
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

    private bool TryTakeFirst([NotNullWhen(true)] out PendingWrite? operation)
    {
        if (_alone.TryDequeue(out operation))
            return true;
        lock (_gate)
        {
            _waiting = true;
            while (_queue.Count == 0 && !_stopping)
                Monitor.Wait(_gate);
            _waiting = false;
            return _queue.TryDequeue(out operation);
        }
    }

    /// <summary>The next operation to merge; false when none waits and the journal is free for the transaction as it is.</summary>
    private bool TryTakeMore([NotNullWhen(true)] out PendingWrite? operation)
    {
        lock (_gate)
        {
            _waiting = true;
            while (_queue.Count == 0 && _inFlight is not null && !_stopping)
                Monitor.Wait(_gate);
            _waiting = false;
            return _queue.TryDequeue(out operation);
        }
    }
}
