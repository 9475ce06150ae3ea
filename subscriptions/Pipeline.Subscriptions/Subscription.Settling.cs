using Pipeline.Documents;

namespace Pipeline.Subscriptions;

/// <content>Acknowledging, rejecting and parking, which move the position durably.</content>
internal sealed partial class Subscription
{
    /// <summary>
    /// Acknowledges a worker's batch except for the changes it rejected, with their reasons, or gave back, without one.
    /// </summary>
    /// <exception cref="SubscriptionException">The worker's lease has ended; nothing was done.</exception>
    public async Task SettleAsync(
        WorkerLease lease,
        IReadOnlyList<DeliveryItem> items,
        Dictionary<DeliveryItem, string?>? rejected,
        Action<DocumentTransaction>? effect,
        CancellationToken ct
    )
    {
        if (lease.Mark is { } mark)
        {
            await SettleMarkAsync(lease, mark, effect, ct).ConfigureAwait(false);
            return;
        }

        var settled = items;
        List<ParkedChange>? parked = null;
        List<(DeliveryItem Item, string? Reason)> again = [];
        if (rejected is { Count: > 0 })
            settled = Sort(items, rejected, again, ref parked);
        await CommitForAsync(lease, settled, parked, effect, ct).ConfigureAwait(false);
        lock (_gate)
        {
            foreach ((var item, var reason) in again)
            {
                if (reason is not null)
                    item.Attempts++;
                _window.Return(
                    item,
                    reason is null
                        ? 0
                        : Now
                            + new RetryBackoff(_definition.RetryDelay, _definition.MaxRetryDelay)
                                .After(item.Attempts)
                                .Ticks,
                    reason
                );
            }

            foreach (var item in items)
                lease.End(item);
            lease.Batch.Clear();
            lease.HasBatch = false;
            lease.UntilTicks = long.MaxValue;
            lease.Acknowledged += settled.Count;
            _acknowledged += settled.Count;
            _lastAcknowledged = Now;
            _rate.Add(settled.Count);
            _leases.HandOver();
            Committed(lease);
            Wake();
        }

        Tell(lease, items, again);
    }

    private void Tell(
        WorkerLease lease,
        IReadOnlyList<DeliveryItem> items,
        List<(DeliveryItem Item, string? Reason)> again
    )
    {
        var rejected = again.Count(a => a.Reason is not null);
        var last = again.FindLast(a => a.Reason is not null);
        if (rejected > 0)
            _lastError = last.Reason;
        if (!_events.HasFollowers || items.Count == 0)
            return;
        _events.Add(
            SubscriptionEventKind.BatchAcknowledged,
            Name,
            lease.Name,
            items.Count - again.Count,
            items[^1].Position
        );
        if (rejected > 0)
            _events.Add(SubscriptionEventKind.Rejected, Name, lease.Name, rejected, last.Item.Position, last.Reason);
    }

    /// <summary>
    /// Sorts a batch. Rejected changes go to <paramref name="again"/> or, once they are parked, count as settled like
    /// the rest.
    /// </summary>
    private List<DeliveryItem> Sort(
        IReadOnlyList<DeliveryItem> items,
        Dictionary<DeliveryItem, string?> rejected,
        List<(DeliveryItem Item, string? Reason)> again,
        ref List<ParkedChange>? parked
    )
    {
        List<DeliveryItem> settled = [];
        foreach (var item in items)
        {
            if (!rejected.TryGetValue(item, out var reason))
            {
                settled.Add(item);
            }
            else if (reason is not null && item.Attempts + 1 >= Definition.MaxAttempts)
            {
                settled.Add(item);
                item.Attempts++;
                (parked ??= []).Add(new ParkedChange(item, "rejected", reason));
            }
            else
            {
                again.Add((item, reason));
            }
        }

        return settled;
    }

    /// <summary>Commits for a worker, whose lease cannot end between the check and <see cref="Committed"/>.</summary>
    private async Task CommitForAsync(
        WorkerLease lease,
        IReadOnlyList<DeliveryItem> settled,
        List<ParkedChange>? parked,
        Action<DocumentTransaction>? effect,
        CancellationToken ct
    )
    {
        lock (_gate)
        {
            ThrowIfEnded(lease);
            lease.IsCommitting = true;
        }

        if (settled.Count == 0 && effect is null)
            return;
        try
        {
            await CommitAsync(settled, parked, effect, ct).ConfigureAwait(false);
        }
        catch
        {
            lock (_gate)
                Committed(lease);
            throw;
        }
    }

    private void Committed(WorkerLease lease)
    {
        lease.IsCommitting = false;
        if (lease.Ending is { } reason)
            End(lease, reason);
        else
            Arm(lease.UntilTicks);
    }

    /// <summary>
    /// Makes settled changes durable, together with what must be written in the same commit. Commits run one after
    /// another, so each position includes those before it. Calls that arrive during a commit share the next one. A call
    /// with an effect commits alone, since its effect could fail.
    /// </summary>
    private async Task CommitAsync(
        IReadOnlyList<DeliveryItem> settled,
        List<ParkedChange>? parked,
        Action<DocumentTransaction>? effect,
        CancellationToken ct
    )
    {
        var mine = new Settlement(settled, parked, effect);
        lock (_gate)
            _settlements.Add(mine);
        try
        {
            await _commit.WaitAsync(ct).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            lock (_gate)
            {
                if (_settlements.Remove(mine))
                    throw;
            }

            await mine.Done.Task.ConfigureAwait(false);
            return;
        }

        List<Settlement> group = [];
        try
        {
            if (mine.Done.Task.IsCompleted)
            {
                await mine.Done.Task.ConfigureAwait(false);
                return;
            }

            lock (_gate)
            {
                if (_isOver)
                    throw _ended!;
                group = effect is null ? _settlements.FindAll(s => s.Effect is null) : [mine];
                _settlements.RemoveAll(group.Contains);
            }

            await CommitGroupAsync(group).ConfigureAwait(false);
            foreach (var one in group)
                one.Done.TrySetResult();
        }
        catch (Exception e)
        {
            foreach (var one in group)
            {
                if (one != mine)
                    one.Done.TrySetException(e);
            }

            throw;
        }
        finally
        {
            _commit.Release();
        }
    }

    private async Task CommitGroupAsync(List<Settlement> group)
    {
        var settled = group.Count == 1 ? group[0].Settled : [.. group.SelectMany(s => s.Settled)];
        List<ParkedChange> parked = [.. group.SelectMany(s => s.Parked ?? [])];
        var effect = group[0].Effect;
        SubscriptionCheckpoint checkpoint;
        lock (_gate)
        {
            IReadOnlyCollection<string> held =
                parked.Count == 0 || !_definition.HoldParkedKeys
                    ? _held
                    : [.. _held.Union(parked.Select(p => p.Item.Change.Id.ToLowerInvariant()))];
            checkpoint = _window.After(settled, held) with { Resync = _resync };
        }

        var state = checkpoint.ToBytes();
        var lastParked = parked.Count == 0 ? 0 : parked[^1].Item.Position;
        List<(string Id, byte[] Json)> letters =
        [
            .. parked.Select(p => DeadLetter.Of(Name, p, _time.GetUtcNow())).Select(l => (l.Id, l.Write())),
        ];
        await _database
            .WriteAsync(
                transaction =>
                {
                    effect?.Invoke(transaction);
                    foreach ((var id, var json) in letters)
                        transaction.Put(id, json);
                    transaction.SetState(_checkpointKey, state);
                    if (_filter.ReadsVersions)
                        _filter.Hold(transaction, _checkpointKey, checkpoint);
                },
                CancellationToken.None
            )
            .ConfigureAwait(false);
        lock (_gate)
        {
            for (var i = 0; i < settled.Count; i++)
                _window.Settle(settled[i]);
            _held.UnionWith(checkpoint.Held);
            PersistedPosition = checkpoint.Position;
            ParkedCount += letters.Count;
            Free();
        }

        if (parked.Count == 0)
            return;
        _lastError = parked[^1].Reason;
        _events.Add(SubscriptionEventKind.Parked, Name, null, parked.Count, lastParked, parked[^1].Reason);
    }

    private readonly List<Settlement> _settlements = [];
    private long _acknowledged;
    private long _lastAcknowledged;
    private string? _lastError;

    /// <summary>Changes parked since the start.</summary>
    public long ParkedCount { get; private set; }

    /// <summary>The checkpoint in memory: at least as new as the durable one.</summary>
    public SubscriptionCheckpoint Checkpoint()
    {
        lock (_gate)
            return _window.After([], _held) with { Resync = _resync };
    }

    /// <summary>The current status.</summary>
    public SubscriptionStatus GetStatus()
    {
        lock (_gate)
        {
            var now = Now;
            var retrying = _window.CountRetrying(now);
            var inFlight = _leases.Workers.Sum(w => w.Batch.Count);
            var lag = _window.First is { } first
                ? Math.Max(0, TimeSpan.FromTicks(now - first.Change.LastModified.UtcTicks).TotalSeconds)
                : 0;
            return new SubscriptionStatus(
                Name,
                _definition,
                _window.Position,
                _database.LastPosition,
                lag,
                Math.Max(0, _window.Count - inFlight - retrying),
                inFlight,
                retrying,
                ParkedCount,
                _acknowledged,
                _held.Count,
                [
                    .. _leases.Workers.Select(w => new WorkerStatus(
                        w.Name,
                        w.PartitionCount,
                        w.Batch.Count,
                        w.Delivered,
                        w.Acknowledged,
                        w.HasBatch ? new DateTimeOffset(w.UntilTicks, TimeSpan.Zero) : null
                    )),
                ],
                _ended?.Message
            )
            {
                PerSecond = _rate.PerSecond,
                LastError = _ended?.Message ?? _lastError,
                LastAcknowledged = _lastAcknowledged == 0 ? null : new DateTimeOffset(_lastAcknowledged, TimeSpan.Zero),
                LastConnected = _lastConnected,
                ResyncThrough = _resync?.Through,
                IsResyncing = _resync is not null,
            };
        }
    }

    private static void ThrowIfEnded(WorkerLease lease)
    {
        if (lease.Ended is { } reason)
            throw reason;
    }

    /// <summary>Signals the reader that there is room.</summary>
    private void Free()
    {
        if (!_window.HasRoom || _freed.Task.IsCompleted)
            return;
        _freed.SetResult();
        _freed = NewSignal();
    }
}
