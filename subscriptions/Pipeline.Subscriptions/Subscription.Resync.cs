using Pipeline.Database;

namespace Pipeline.Subscriptions;

/// <content>Giving all documents anew to one who has missed deletions.</content>
/// <remarks>
/// A mark, then the documents whose last change is not after the snapshot's position, in order of position; then another mark and the feed from there on. No snapshot is held open meanwhile:
/// what changes on the way lies after that position and comes with the feed, so the checkpoint is all that a crash needs. Tombstones are kept from that position on.
/// </remarks>
internal sealed partial class Subscription
{
    private ResyncState? _resync;
    private TaskCompletionSource _marked = NewSignal();

    /// <summary>Whether nothing may be read before a worker has acknowledged a mark.</summary>
    private bool WaitsForMark() => _resync is { } resync && (resync.Through is not { } through || _window.Through >= through);

    /// <summary>The mark that is due, for one worker; null where none is, or another one has it.</summary>
    private SubscriptionBatch? TakeMark(WorkerLease lease)
    {
        if (!WaitsForMark() || (!_window.IsEmpty && _resync!.Through is not null) || _leases.Workers.Any(w => w.Mark is not null)) return null;
        lease.Mark = _resync!.Through is null ? ResyncPhase.Begin : ResyncPhase.End;
        lease.HasBatch = true;
        lease.UntilTicks = Now + lease.Duration.Ticks;
        Arm(lease.UntilTicks);
        return new SubscriptionBatch(this, lease, [], default, Include([])) { Resync = lease.Mark };
    }

    private async Task SettleMarkAsync(WorkerLease lease, ResyncPhase mark, Action<DocumentTransaction>? effect, CancellationToken ct)
    {
        lock (_gate)
        {
            ThrowIfEnded(lease);
            lease.IsCommitting = true;
        }

        try
        {
            await CommitMarkAsync(mark, effect, ct).ConfigureAwait(false);
        }
        catch
        {
            lock (_gate) Committed(lease);
            throw;
        }

        lock (_gate)
        {
            lease.Mark = null;
            lease.HasBatch = false;
            lease.UntilTicks = long.MaxValue;
            Committed(lease);
            Wake();
        }
    }

    private async Task CommitMarkAsync(ResyncPhase mark, Action<DocumentTransaction>? effect, CancellationToken ct)
    {
        await _commit.WaitAsync(ct).ConfigureAwait(false);
        try
        {
            SubscriptionCheckpoint next;
            lock (_gate)
            {
                if (_isOver) throw _ended!;
                next = _window.After([], _held);
            }

            string consumer = SubscriptionHost.ConsumerName(Name);
            SubscriptionCheckpoint written = await _database.WriteAsync(
                transaction =>
                {
                    // The snapshot is chosen where tombstones begin to be kept again: a purge is before both or after both.
                    SubscriptionCheckpoint checkpoint = mark == ResyncPhase.End ? next with { Resync = null } : new SubscriptionCheckpoint(0, [], [], next.Held) { Resync = new ResyncState(transaction.LastPosition) };
                    effect?.Invoke(transaction);
                    transaction.SetState(CheckpointKey(Name), checkpoint.ToBytes());
                    _filter.Hold(transaction, CheckpointKey(Name), checkpoint);
                    if (mark == ResyncPhase.Begin && transaction.GetConsumer(consumer) is { } known) transaction.SetConsumer(known with { Since = _time.GetUtcNow() });
                    return checkpoint;
                },
                CancellationToken.None).ConfigureAwait(false);
            TaskCompletionSource marked;
            lock (_gate)
            {
                if (mark == ResyncPhase.Begin) _window.Reset(0, [], []);
                _resync = written.Resync;
                PersistedPosition = written.Position;
                (marked, _marked) = (_marked, NewSignal());
            }

            marked.SetResult();
            _events.Add(mark == ResyncPhase.Begin ? SubscriptionEventKind.ResyncBegan : SubscriptionEventKind.ResyncEnded, Name, position: written.Resync?.Through ?? written.Position);
        }
        finally
        {
            _commit.Release();
        }
    }

    /// <summary>Makes the place durable where it moved over changes that are not given: nothing is kept for it then.</summary>
    public async Task SaveIdleAsync(CancellationToken ct)
    {
        lock (_gate)
        {
            if (_ended is not null || _resync is not null || !_window.IsEmpty || _window.Position <= PersistedPosition) return;
        }

        await CommitAsync([], null, null, ct).ConfigureAwait(false);
    }
}
