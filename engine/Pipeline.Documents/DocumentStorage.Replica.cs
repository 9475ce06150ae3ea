using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.Storage;

namespace Pipeline.Documents;

/// <content>
/// The database as a replica of a shared log: <see cref="StorageOptions.IsReplica"/>. All that is kept in memory of the
/// stored state is a function of an accepted state, and is read again after each commit, its own or another node's.
/// </content>
public partial class DocumentStorage
{
    private static readonly TimeSpan PrepareRetry = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan LeaseRetry = TimeSpan.FromMilliseconds(20);
    private readonly Lock _refreshing = new();
    private readonly Lock _termLock = new();
    private long _refreshed = -1;
    private volatile LeaderTerm? _term;
    private TaskCompletionSource _termChanged = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Whether the database follows a shared log.</summary>
    internal bool IsReplica { get; }

    /// <summary>Whether this node runs the tasks that one node runs for all: always, unless the database is a replica.</summary>
    internal bool Leads => !IsReplica || _term is { IsReady: true };

    /// <summary>Leaves caches stale; a test shows that it finds it.</summary>
    internal StaleCache PlantedFault { get; set; }

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
                Log.TermOver(Logger, Name);
            }
        }
    }

    /// <summary>Updates the caches if a newer state was accepted. Thread-safe.</summary>
    internal void Refresh()
    {
        lock (_refreshing)
        {
            using var snapshot = OpenSnapshot("refresh");
            var transaction = snapshot.Stored;
            if (transaction.Id <= _refreshed || !TryLoad(transaction))
                return;
            _refreshed = transaction.Id;
            if (PlantedFault != StaleCache.Revisions)
                Revisions.Refresh(transaction);
            if (PlantedFault != StaleCache.Expiration)
                Expiration.Refresh(transaction);
            if (PlantedFault != StaleCache.Lineages)
                RefreshLineages(transaction);
            if (PlantedFault != StaleCache.Indexes)
                RefreshIndexes(snapshot);
        }
    }

    private ILogger Logger => (_options.LoggerFactory ?? NullLoggerFactory.Instance).CreateLogger("Pipeline.Database");

    private NotLeaderException NotLeader() => Storage.RefuseToLead(Name);

    private async Task<T> WriteAtLeaderAsync<T>(Func<DocumentTransaction, T> operation, CancellationToken ct)
    {
        await ReadyToWriteAsync(ct).ConfigureAwait(false);
        return await WriteHereAsync(operation, ct).ConfigureAwait(false);
    }

    private void OnRoleChanged(StorageRole role)
    {
        if (role == StorageRole.Leader)
        {
            var term = new LeaderTerm();
            _term = term;
            _ = Task.Run(() => PrepareToLeadAsync(term));
            return;
        }

        EndTerm();
        // Dictionaries that were not accepted are gone, and others may get their numbers.
        if (PlantedFault != StaleCache.Dictionaries)
            Bodies.Forget();
        using var snapshot = OpenSnapshot("refresh");
        RefreshIndexes(snapshot);
    }

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

    /// <summary>What must be so before the first write of a term.</summary>
    private async Task PrepareToLeadAsync(LeaderTerm term)
    {
        while (!term.Ended.IsCancellationRequested)
        {
            try
            {
                Refresh();
                if (IdText.Length == 0)
                {
                    await Storage.WriteAsync(Found, term.Ended).ConfigureAwait(false);
                    Refresh();
                }

                // No client resumes uploads that it sent to another leader.
                await Storage
                    .WriteAsync(t => new AttachmentContents(t, Name).DropUploads(), term.Ended)
                    .ConfigureAwait(false);
                await PrepareIndexesAsync().ConfigureAwait(false);
                term.SetReady();
                TellTerm();
                TakeOverIndexes(term.Ended);
                return;
            }
            catch (Exception e)
                when (e
                        is NotLeaderException
                            or NotAcceptedException
                            or OperationCanceledException
                            or ObjectDisposedException
                    && term.Ended.IsCancellationRequested
                )
            {
                Log.TermOver(Logger, Name);
                return;
            }
            catch (NotLeaderException)
            {
                // The first beat is not accepted yet, so this node is not certain to lead.
                await Task.Delay(LeaseRetry, TimeProvider, term.Ended)
                    .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
#pragma warning disable CA1031 // Whatever it is, the node leads and must say why it takes no writes.
            catch (Exception e)
#pragma warning restore CA1031
            {
                Log.NotPrepared(Logger, Name, e);
                await Task.Delay(PrepareRetry, TimeProvider, term.Ended)
                    .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
    }

    /// <summary>Makes the database's id. Configurations of the options count at this moment only.</summary>
    private void Found(WriteTransaction transaction)
    {
        var meta = transaction.CreateTree(DatabaseTrees.Meta);
        meta.Put("database-id"u8, _newGuid().ToByteArray());
        meta.Put(LineagesKey, DatabaseLineages.Initial.ToBytes());
        Revisions.Found(transaction, _options.Revisions);
        Expiration.Found(transaction, _options.Expiration);
    }

    private static partial class Log
    {
        [LoggerMessage(1053, LogLevel.Information, "{Database}: this node does not lead any more")]
        public static partial void TermOver(ILogger logger, string database);

        [LoggerMessage(
            1054,
            LogLevel.Warning,
            "{Database}: this node leads but cannot take writes yet; it tries again"
        )]
        public static partial void NotPrepared(ILogger logger, string database, Exception cause);
    }
}

/// <summary>A cache that a test leaves stale.</summary>
internal enum StaleCache
{
    None,
    Revisions,
    Expiration,
    Lineages,
    Indexes,
    Dictionaries,
}
