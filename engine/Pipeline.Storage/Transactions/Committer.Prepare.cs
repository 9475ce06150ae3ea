using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;

namespace Pipeline.Storage;

internal sealed partial class Committer
{
    /// <summary>
    /// Waiting operations with this much running time in total are worth waking the thread that waits for its turn to
    /// write.
    /// </summary>
    private static readonly long WakeTicks = Stopwatch.Frequency / 40_000;

    /// <summary>Wakes the thread that prepares, if it is waiting.</summary>
    private readonly ThreadSignal _turn = new();

    // All but the queue belongs to the one thread that prepares.
    private readonly int _slot;
    private readonly AllocationHints _hints = new();
    private readonly List<nint> _touched = [];
    private readonly Queue<PendingWrite> _alone = new();
    private readonly JournalEntry[] _entries;
    private int _nextEntry;

    /// <summary>
    /// The thread that prepares waits until the transaction before its own has landed; with more to do, should enough
    /// arrive.
    /// </summary>
    private bool _waitingForLanding;
    private bool _waitingForMore;

    /// <summary>
    /// Consecutive waits in which no caller came back, and how many of the next transactions skip the wait because of
    /// that.
    /// </summary>
    private int _vainWaits;
    private int _waitless;

    /// <summary>About the time that an operation takes to run, in ticks of <see cref="Stopwatch"/>.</summary>
    private long _operationTicks = WakeTicks;

    /// <summary>The state of the last sealed transaction: durable, or being written.</summary>
    private StoreState _sealed;

    /// <summary>
    /// Prepares the next transaction, which is then the next to be written; false if there is nothing to write.
    /// </summary>
    private bool TryPrepare(PendingWrite first, [NotNullWhen(true)] out SealedTransaction? ready)
    {
        ready = null;
        try
        {
            _touched.Clear(); // The versions of the transaction before belong to it.
            _taken.Clear();
            _taken.Add(first);
            return TryTakeTurn(first, out ready);
        }
#pragma warning disable CA1031 // Whatever it is, the waiting callers get it and the environment fails.
        catch (Exception e)
#pragma warning restore CA1031
        {
            AbandonTurn(e);
            return false;
        }
    }

    private bool TryTakeTurn(PendingWrite first, [NotNullWhen(true)] out SealedTransaction? ready)
    {
        ready = null;
        if (HasRoom(first))
        {
            var operations = new List<PendingWrite>();
            var transaction = Begin();
            Run(ref transaction, operations, first);
            if (!first.Alone)
                Merge(ref transaction, operations);
            if (transaction.Writer.Changes == 0)
            {
                EndUnchanged(transaction, operations);
            }
            else if (TrySeal(transaction, operations, out ready))
            {
                StepHook.At(StorageStep.Sealed);
                if (_log is null)
                {
                    Submit();
                    return true;
                }
                Send(ready, _log);
                ready = null;
            }
        }
        ReleaseAnswers();
        EndPreparing();
        return false;
    }

    /// <summary>
    /// Runs the waiting operations, those that arrive while the previous transaction is being written, and those that
    /// its callers hand over once released.
    /// </summary>
    private void Merge(ref WriteTransaction transaction, List<PendingWrite> operations)
    {
        var cameBack = false;
        while (
            operations.Count < MaxMergedOperations
            && transaction.Writer.Bytes < _store.Options.MaxMergedBytes
            && _store.Failure is null
        )
        {
            if (TryTakeMore(out var next))
            {
                _taken.Add(next);
                Run(ref transaction, operations, next);
            }
            else if (AwaitReturning(cameBack))
            {
                cameBack = true;
            }
            else
            {
                return;
            }
        }
    }

    /// <summary>Runs one operation, unless its caller has cancelled it.</summary>
    private void Run(ref WriteTransaction transaction, List<PendingWrite> operations, PendingWrite operation)
    {
        if (operation.Cancellation.IsCancellationRequested)
            Refuse(operation, new OperationCanceledException(operation.Cancellation));
        else
            Run(ref transaction, operations, operation, again: false);
    }

    /// <summary>
    /// Runs one operation. One that throws fails alone: where it had changed something, all is rolled back and those
    /// before it are run again. Cancelled ones are run again too, since others have seen their changes.
    /// </summary>
    private void Run(
        ref WriteTransaction transaction,
        List<PendingWrite> operations,
        PendingWrite operation,
        bool again
    )
    {
        var changes = transaction.Writer.Changes;
        var started = Stopwatch.GetTimestamp();
        Exception error;
        try
        {
            transaction.Writer.BeginOperation();
            operation.Run(transaction);
            if (transaction.Writer.Incomplete is { } caught)
                throw new IncompleteOperationException(caught);
            operations.Add(operation);
            _operationTicks += (Stopwatch.GetTimestamp() - started - _operationTicks) / 8;
            return;
        }
#pragma warning disable CA1031 // Whatever the caller's operation throws is the caller's.
        catch (Exception e)
#pragma warning restore CA1031
        {
            error = e;
        }
        var unchanged = transaction.Writer.Changes == changes;
        var before = unchanged ? [] : operations.ToArray();
        if (!unchanged)
        {
            Rollback(transaction);
            transaction = Begin();
            operations.Clear();
        }
        if (again)
            AskAgain();
        if (
            (error is IncompleteOperationException ? error.InnerException : error) is TransactionTooLargeException
            && before.Length > 0
        )
        {
            RunAlone([operation]);
        }
        else if (Faulty(StorageFaults.AnswerBeforeAcceptance))
        {
            Refuse(operation, error);
        }
        else
        {
            _answers.Add((operation, error));
        }
        foreach (var other in before)
            Run(ref transaction, operations, other, again: true);
    }

    /// <summary>Runs the failed operations again in a later transaction: the changes that they saw were undone.</summary>
    private void AskAgain()
    {
        RunAlone([.. _answers.Select(a => a.Operation)]);
        _answers.Clear();
    }

    private WriteTransaction Begin()
    {
        StepHook.At(StorageStep.Begin);
        _store.Readers.Enter(_slot, _sealed.TransactionId);
        _touched.Clear();
        return new WriteTransaction(
            new WriterPages(
                _store.Table,
                _store.Data,
                _store.Scratch,
                _store.Options.MaxTransactionBytes,
                _sealed,
                _hints,
                _touched,
                _store.Options.Faults
            )
        );
    }

    private void Rollback(WriteTransaction transaction)
    {
        transaction.Dispose();
        transaction.Writer.Rollback();
        _store.Readers.Leave(_slot);
        _flusher.RetireUnpublished(transaction.Writer.Unlinked);
    }

    /// <summary>Nothing was changed: the operations end once the state they read is durable.</summary>
    private void EndUnchanged(WriteTransaction transaction, List<PendingWrite> operations)
    {
        Rollback(transaction);
        if (_log is not null)
        {
            foreach (var operation in operations)
                _answers.Add((operation, null));
            return;
        }
        WaitForLanding(submit: false);
        foreach (var operation in operations)
        {
            if (_store.Failure is { } failure)
                Refuse(operation, failure);
            else
                Complete(operation);
        }
    }

    /// <summary>
    /// Completes the transaction's pages and builds its journal entry. The place in the journal is reserved here,
    /// before anything is written: when there is no space the transaction is rolled back and nothing is at risk.
    /// </summary>
    private bool TrySeal(
        WriteTransaction transaction,
        List<PendingWrite> operations,
        [NotNullWhen(true)] out SealedTransaction? ready
    )
    {
        ready = null;
        Exception error;
        var place = default(JournalPlace);
        try
        {
            StepHook.At(StorageStep.Sealing);
            transaction.Catalog.Save();
            var writer = transaction.Writer;
            // The other buffer may still be in flight to the disk, even if this transaction fails.
            var next = (_nextEntry + 1) % _entries.Length;
            if (Faulty(StorageFaults.ReuseEntryInFlight))
                _nextEntry = next;
            var entry = _store.Journal is null && _log is null ? null : _entries[next];
            var versions = writer.Seal(entry);
            var state = writer.ToState(_store.Options.TimeProvider.GetUtcNow().UtcTicks);
            if (_log is { } log)
                MakeLogEntry(entry!, state, log);
            if (_store.Journal is { } journal)
            {
                entry!.Complete();
                StepHook.At(StorageStep.Reserving);
                place = journal.Reserve(entry.AlignedLength);
                StepHook.At(StorageStep.Reserved);
                var checksum = entry.Finish(
                    _store.Checkpoint.StoreId,
                    place.Number,
                    _sealed.Journal.Chain,
                    state,
                    Unsynced(state.TransactionId)
                );
                state = state with
                {
                    Journal = new JournalPosition(place.Number, place.Offset + entry.AlignedLength, checksum),
                };
            }
            StepHook.At(StorageStep.Finished);
            var made = new SealedTransaction(state, versions, operations, place, _store.Journal is null ? null : entry);
            if (_answers.Count > 0)
            {
                made.Answers = [.. _answers];
                _answers.Clear();
            }
            transaction.Dispose();
            writer.Release();
            _store.Readers.Leave(_slot);
            _flusher.RetireUnpublished(writer.Unlinked);
            (_sealed, _nextEntry, ready) = (state, next, made);
            return true;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            error = _store.Fail(_store.Journal!.Directory, "journal file creation", e);
        }
#pragma warning disable CA1031 // The waiting callers get any error, and the thread continues.
        catch (Exception e)
#pragma warning restore CA1031
        {
            error = e;
        }
        if (place.File is not null && !Faulty(StorageFaults.KeepReservedPlace))
            _store.Journal!.Unreserve(place);
        Rollback(transaction);
        if (error is TransactionTooLargeException && operations.Count > 1)
        {
            RunAlone(operations);
        }
        else
        {
            foreach (var operation in operations)
                Refuse(operation, error);
        }
        AskAgain();
        return false;
    }

    /// <summary>Waits for the turn to write, and lets another thread prepare what follows.</summary>
    private void Submit() => WaitForLanding(submit: true);

    private void EndPreparing()
    {
        lock (_gate)
            LetPrepare();
    }

    /// <summary>
    /// Waits until the previous transaction is durable. If it then submits this one, another thread may prepare the
    /// next.
    /// </summary>
    private void WaitForLanding(bool submit)
    {
        while (true)
        {
            lock (_gate)
            {
                _waitingForLanding = _inFlight > 0;
                if (_inFlight == 0)
                {
                    if (submit)
                    {
                        _inFlight = 1;
                        LetPrepare();
                    }
                    return;
                }
            }
            _turn.Wait();
        }
    }

    /// <summary>
    /// Ends the preparing turn and wakes a thread for the next one, if there is work. The gate must be held.
    /// </summary>
    private void LetPrepare()
    {
        _preparing = false;
        if (_stopping || _turnsWanted > 0)
            Monitor.PulseAll(_gate);
        else if (_queue.Count != 0 || _alone.Count != 0)
            Monitor.Pulse(_gate);
    }
}
