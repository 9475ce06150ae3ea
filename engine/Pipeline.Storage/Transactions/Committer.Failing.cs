namespace Pipeline.Storage;

/// <content>
/// Unexpected errors between two steps of a commit. The store's state in memory is then unknown, so the environment
/// fails. Durable operations are acknowledged, all others refused, and the turn passes on, so that no caller waits for
/// ever.
/// </content>
internal sealed partial class Committer
{
    /// <summary>All operations that the thread that prepares has taken in its turn.</summary>
    private readonly List<PendingWrite> _taken = [];

    /// <summary>Ends a turn of preparing that met such an error.</summary>
    private void AbandonTurn(Exception error)
    {
        var failure = _store.Fail(_store.Name, "preparation of a commit", error);
        // Readers never look for the number of an unpublished transaction, so its versions can stay in place until the
        // store is closed.
        _flusher.Abandon([.. _touched]);
        _touched.Clear();
        _store.Readers.Leave(_slot);
        foreach (var operation in _taken)
            Refuse(operation, failure);
        _taken.Clear();
        _answers.Clear();
        while (TryTakeAlone(out var alone))
            Refuse(alone, failure);
        EndPreparing();
    }

    private bool TryTakeAlone([System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out PendingWrite? operation)
    {
        lock (_gate)
            return _alone.TryDequeue(out operation);
    }

    /// <summary>Ends an operation whose caller was not told of the outcome yet.</summary>
    /// <param name="operation">The operation.</param>
    /// <param name="error">Why it failed; null if it is durable.</param>
    private void End(PendingWrite operation, Exception? error)
    {
        if (operation.IsDone)
            return;
        operation.IsDone = true;
        try
        {
            _places.Release();
            if (error is null)
                operation.Complete();
            else
                TellRefusal(operation, error);
        }
#pragma warning disable CA1031 // The others must learn of their ends all the same.
        catch (Exception e)
#pragma warning restore CA1031
        {
            _store.Fail(_store.Name, "answer to a caller", e);
        }
    }

    private void TellRefusal(PendingWrite operation, Exception error)
    {
        try
        {
            _store.NoteRefusal(error);
        }
        finally
        {
            operation.Fail(error);
        }
    }
}
