using Pipeline.Documents;

namespace Pipeline.Subscriptions;

/// <content>Resyncs: deliver all documents again to a consumer that missed deletions.</content>
/// <remarks>
/// A resync delivers a mark, then documents in order of position, then a second mark. The documents are those last
/// changed no later than the snapshot's position. The feed continues from there. No snapshot is held open: later
/// changes come with the feed, so the checkpoint suffices after a crash. Tombstones after that position are kept.
/// </remarks>
internal sealed partial class Subscription
{
    private ResyncState? _resync;
    private TaskCompletionSource _marked = NewSignal();

    /// <summary>Whether reading must wait until a worker has acknowledged a mark.</summary>
    private bool WaitsForMark() =>
        _resync is { } resync && (resync.Through is not { } through || _window.Through >= through);

    /// <summary>Takes the mark that is due, for one worker; null if none is due or another worker has it.</summary>
    private SubscriptionBatch? TakeMark(WorkerLease lease)
    {
        if (
            !WaitsForMark()
            || (!_window.IsEmpty && _resync!.Through is not null)
            || _leases.Workers.Any(w => w.Mark is not null)
        )
        {
            return null;
        }

        lease.Mark = _resync!.Through is null ? ResyncPhase.Begin : ResyncPhase.End;
        lease.HasBatch = true;
        lease.UntilTicks = Now + lease.Duration.Ticks;
        Arm(lease.UntilTicks);
        return new SubscriptionBatch(this, lease, [], default, Include([])) { Resync = lease.Mark };
    }

    private async Task SettleMarkAsync(
        WorkerLease lease,
        ResyncPhase mark,
        Action<DocumentTransaction>? effect,
        CancellationToken ct
    )
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
            lock (_gate)
                Committed(lease);
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
                if (_isOver)
                    throw _ended!;
                next = _window.After([], _held);
            }

            var consumer = SubscriptionHost.ConsumerName(Name);
            var written = await _database
                .WriteAsync(
                    transaction =>
                    {
                        // The commit that chooses the snapshot also makes the database keep tombstones again, so a
                        // purge precedes both or follows both.
                        var checkpoint =
                            mark == ResyncPhase.End
                                ? next with
                                {
                                    Resync = null,
                                }
                                : new SubscriptionCheckpoint(0, [], [], next.Held)
                                {
                                    Resync = new ResyncState(transaction.LastPosition),
                                };
                        effect?.Invoke(transaction);
                        transaction.SetState(CheckpointKey(Name), checkpoint.ToBytes());
                        _filter.Hold(transaction, CheckpointKey(Name), checkpoint);
                        if (mark == ResyncPhase.Begin && transaction.GetConsumer(consumer) is { } known)
                            transaction.SetConsumer(known with { Since = _time.GetUtcNow() });
                        return checkpoint;
                    },
                    CancellationToken.None
                )
                .ConfigureAwait(false);
            TaskCompletionSource marked;
            lock (_gate)
            {
                if (mark == ResyncPhase.Begin)
                    _window.Reset(0, [], []);
                _resync = written.Resync;
                PersistedPosition = written.Position;
                (marked, _marked) = (_marked, NewSignal());
            }

            marked.SetResult();
            _events.Add(
                mark == ResyncPhase.Begin ? SubscriptionEventKind.ResyncBegan : SubscriptionEventKind.ResyncEnded,
                Name,
                position: written.Resync?.Through ?? written.Position
            );
        }
        finally
        {
            _commit.Release();
        }
    }

    /// <summary>
    /// Makes the position durable after it moved past changes that are not delivered, so that nothing more is kept for
    /// them.
    /// </summary>
    public async Task SaveIdleAsync(CancellationToken ct)
    {
        lock (_gate)
        {
            if (_ended is not null || _resync is not null || !_window.IsEmpty || _window.Position <= PersistedPosition)
                return;
        }

        await CommitAsync([], null, null, ct).ConfigureAwait(false);
    }
}
