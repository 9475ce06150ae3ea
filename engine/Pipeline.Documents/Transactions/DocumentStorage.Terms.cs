using Pipeline.Storage;

namespace Pipeline.Documents;

/// <content>
/// Whether this node takes writes. A database that is no replica always does; a replica does during its terms as
/// leader of the shared log (<see cref="StorageOptions.IsReplica"/>).
/// </content>
public abstract partial class DocumentStorage
{
    private readonly Lock _termLock = new();
    private volatile LeaderTerm? _term;
    private TaskCompletionSource _termChanged = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Whether the database follows a shared log.</summary>
    internal bool IsReplica { get; }

    /// <summary>Whether this node runs the tasks that one node runs for all: always, unless the database is a replica.</summary>
    internal bool Leads => !IsReplica || _term is { IsReady: true };

    /// <summary>Waits until this node takes writes.</summary>
    /// <exception cref="NotLeaderException">Another node leads, or none.</exception>
    internal Task ReadyToWriteAsync(CancellationToken ct)
    {
        if (!IsReplica)
            return Task.CompletedTask;
        return _term is { } term ? term.Ready.WaitAsync(ct) : Task.FromException(NotLeader());
    }

    /// <summary>
    /// Writes without waiting for the term to begin, for callers that hold what its beginning needs.
    /// </summary>
    internal Task WriteIfReadyAsync(Action<DocumentTransaction> operation) =>
        Leads
            ? WriteHereAsync(
                transaction =>
                {
                    operation(transaction);
                    return true;
                },
                CancellationToken.None
            )
            : Task.FromException(NotLeader());

    /// <summary>Waits until the state that snapshots show has every change up to a position.</summary>
    internal Task WaitForPositionAsync(long position, CancellationToken ct = default) =>
        WaitForChangeAsync(position - 1, ct);

    /// <summary>
    /// Opens a snapshot that holds every write that was acknowledged before the call, by whatever node.
    /// </summary>
    /// <exception cref="NotLeaderException">This node is not certain to lead.</exception>
    internal DatabaseSnapshot OpenNewestSnapshot()
    {
        var snapshot = OpenSnapshot("newest");
        // The lease is looked at after the snapshot is taken; the other way round another node could write in between.
        if (!IsReplica || Storage.HoldsLease)
            return snapshot;
        snapshot.Dispose();
        throw NotLeader();
    }

    /// <summary>
    /// Runs a service at the leader: starts it whenever this node begins to lead, and disposes of it when the time is
    /// over. The service continues from its stored positions.
    /// </summary>
    /// <param name="start">Starts the service; cancelled when the time is over.</param>
    /// <param name="ct">Ends it all.</param>
    internal async Task RunAtLeaderAsync(Func<CancellationToken, Task<IAsyncDisposable>> start, CancellationToken ct)
    {
        while (!ct.IsCancellationRequested)
        {
            var term = await NextTermAsync(ct).ConfigureAwait(false);
            using var over = CancellationTokenSource.CreateLinkedTokenSource(ct, term?.Ended ?? ct);
            try
            {
                await using var service = (await start(over.Token).ConfigureAwait(false)).ConfigureAwait(false);
                await Task.Delay(Timeout.InfiniteTimeSpan, over.Token)
                    .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
            catch (Exception e)
                when (e is NotLeaderException or NotAcceptedException or OperationCanceledException
                    && over.IsCancellationRequested
                )
            {
                DocumentStorageLog.TermOver(Logger, Name);
            }
        }
    }

    private NotLeaderException NotLeader() => Storage.RefuseToLead(Name);

    private void EndTerm()
    {
        var term = _term;
        _term = null;
        term?.End(NotLeader());
        TellTerm();
    }

    private void TellTerm()
    {
        TaskCompletionSource changed;
        lock (_termLock)
            (changed, _termChanged) = (_termChanged, new(TaskCreationOptions.RunContinuationsAsynchronously));
        changed.TrySetResult();
    }

    private async Task<LeaderTerm?> NextTermAsync(CancellationToken ct)
    {
        while (IsReplica)
        {
            Task changed;
            lock (_termLock)
                changed = _termChanged.Task;
            if (_term is { IsReady: true } term)
                return term;
            await changed.WaitAsync(ct).ConfigureAwait(false);
        }

        return null;
    }
}
