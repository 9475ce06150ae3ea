using Pipeline.Documents;

namespace Pipeline.Subscriptions;

/// <content>Workers join, take batches, and leave.</content>
internal sealed partial class Subscription
{
    private TaskCompletionSource _left = NewSignal();
    private bool _shared;
    private DateTimeOffset? _lastConnected;

    /// <summary>Gives a worker its lease according to its strategy.</summary>
    /// <exception cref="SubscriptionException">The worker is refused.</exception>
    public async Task<WorkerLease> JoinAsync(SubscriptionWorkerOptions options, CancellationToken ct)
    {
        while (true)
        {
            Task left;
            lock (_gate)
            {
                if (_ended is not null)
                    throw _ended;
                if (_definition.IsPaused)
                {
                    throw new SubscriptionException(
                        Name,
                        SubscriptionProblem.Paused,
                        $"The subscription '{Name}' is paused."
                    );
                }

                var concurrent = options.Strategy == WorkerStrategy.Concurrent;
                if (_leases.Workers.Count == 0 || (concurrent && _shared))
                    return Join(options, concurrent);
                var holder = _leases.Workers[0];
                switch (options.Strategy)
                {
                    case WorkerStrategy.TakeOver:
                        foreach (var lease in _leases.Workers.ToArray())
                        {
                            End(
                                lease,
                                new SubscriptionException(
                                    Name,
                                    SubscriptionProblem.TakenOver,
                                    $"The worker '{options.Name}' took over the subscription '{Name}'."
                                )
                            );
                        }

                        if (_leases.Workers.Count == 0)
                            return Join(options, concurrent: false);
                        left = _left.Task;
                        break;
                    case WorkerStrategy.OpenIfFree:
                    case WorkerStrategy.Concurrent:
                        throw new SubscriptionException(
                            Name,
                            SubscriptionProblem.InUse,
                            $"The worker '{holder.Name}' has the subscription '{Name}'; wait for it, or take it over."
                        );
                    default:
                        left = _left.Task;
                        break;
                }
            }

            await left.WaitAsync(ct).ConfigureAwait(false);
        }
    }

    /// <summary>Waits for a batch for a worker.</summary>
    public async ValueTask<SubscriptionBatch?> NextAsync(
        WorkerLease lease,
        SubscriptionWorkerOptions options,
        bool untilEmpty,
        CancellationToken ct
    )
    {
        while (true)
        {
            List<DeliveryItem>? spent = null;
            MemoryHold hold = default;
            DeliveryItem[]? taken = null;
            ResyncPhase? phase = null;
            Task waiting;
            lock (_gate)
            {
                ThrowIfEnded(lease);
                if (lease.HasBatch)
                    throw new InvalidOperationException("The previous batch was not acknowledged.");
                if (TakeMark(lease) is { } mark)
                    return mark;
                var due = _window.Take(
                    lease.Partitions,
                    options.MaxBatchCount,
                    options.MaxBatchBytes,
                    Now,
                    lease.Batch
                );
                foreach (var item in lease.Batch)
                {
                    lease.Begin(item);
                    if (item.Attempts >= _definition.MaxAttempts)
                        (spent ??= []).Add(item);
                }

                hold = MemoryHold.Of(lease.Batch);
                if (lease.Batch.Count > 0 && spent is null)
                {
                    lease.HasBatch = true;
                    lease.UntilTicks = Now + lease.Duration.Ticks;
                    lease.Delivered += lease.Batch.Count;
                    Arm(lease.UntilTicks);
                    _events.Add(
                        SubscriptionEventKind.BatchSent,
                        Name,
                        lease.Name,
                        lease.Batch.Count,
                        lease.Batch[^1].Position
                    );
                    phase = _resync is null ? null : ResyncPhase.Snapshot;
                    taken = lease.CopyBatch();
                }
                else if (spent is null)
                {
                    if (untilEmpty && _resync is null && _window.IsEmpty && _window.Through >= _database.LastPosition)
                        return null;
                    Arm(due);
                    lease.Waiting ??= NewSignal();
                }

                waiting = lease.Waiting?.Task ?? Task.CompletedTask;
            }

            if (taken is not null)
                return new SubscriptionBatch(this, lease, taken, hold, Include(taken)) { Resync = phase };
            if (spent is not null)
                await ParkSpentAsync(lease, spent, hold, ct).ConfigureAwait(false);
            else
                await waiting.WaitAsync(ct).ConfigureAwait(false);
        }
    }

    private IReadOnlyDictionary<string, Document?> Include(DeliveryItem[] items)
    {
        if (!_filter.HasIncludes || items.Length == 0)
            return System.Collections.ObjectModel.ReadOnlyDictionary<string, Document?>.Empty;
        using var snapshot = _database.OpenSnapshot("subscription " + Name);
        return _filter.Include(items.Select(i => (i.Change, i.Previous.Document)), snapshot);
    }

    /// <summary>Renews a worker's lease.</summary>
    public void Extend(WorkerLease lease)
    {
        lock (_gate)
        {
            ThrowIfEnded(lease);
            if (lease.HasBatch)
                lease.UntilTicks = Now + lease.Duration.Ticks;
        }
    }

    public void ExtendIfHalfOver(WorkerLease lease)
    {
        if (lease.UntilTicks - Now < lease.Duration.Ticks / 2)
            Extend(lease);
    }

    /// <summary>Removes a worker.</summary>
    public void Leave(WorkerLease lease)
    {
        lock (_gate)
        {
            if (lease.Ended is null && lease.Ending is null)
            {
                End(
                    lease,
                    new SubscriptionException(
                        Name,
                        SubscriptionProblem.Closed,
                        $"The worker '{lease.Name}' left the subscription '{Name}'."
                    )
                );
            }
        }
    }

    /// <summary>Drops the workers with this name; all workers if none has it or the name is null.</summary>
    public void Drop(string? worker)
    {
        lock (_gate)
        {
            var one = _leases.Workers.Any(w => w.Name == worker);
            foreach (var lease in _leases.Workers.Where(w => !one || w.Name == worker).ToArray())
            {
                End(
                    lease,
                    new SubscriptionException(
                        Name,
                        SubscriptionProblem.Dropped,
                        $"The worker '{lease.Name}' of subscription '{Name}' was dropped on request."
                    )
                );
            }
        }
    }

    private WorkerLease Join(SubscriptionWorkerOptions options, bool concurrent)
    {
        _shared = concurrent;
        _lastConnected = _time.GetUtcNow();
        var lease = _leases.Join(options.Name, options.Lease, Now);
        lease.UntilTicks = long.MaxValue;
        _events.Add(SubscriptionEventKind.WorkerJoined, Name, lease.Name);
        return lease;
    }

    /// <summary>Ends a lease; the worker's batch waits for the next worker.</summary>
    private void End(WorkerLease lease, SubscriptionException reason)
    {
        if (lease.IsCommitting)
        {
            lease.Ending ??= reason;
            return;
        }

        var counts = reason.Problem == SubscriptionProblem.LeaseLost;
        foreach (var item in lease.Batch)
        {
            lease.End(item);
            if (item.State != DeliveryState.InFlight)
                continue;
            if (counts)
                item.Attempts++;
            _window.Return(item, 0, counts ? reason.Message : null);
        }

        lease.Batch.Clear();
        lease.HasBatch = false;
        lease.Mark = null;
        _leases.Leave(lease, reason);
        _events.Add(
            counts ? SubscriptionEventKind.LeaseLost
                : reason.Problem == SubscriptionProblem.Closed ? SubscriptionEventKind.WorkerLeft
                : SubscriptionEventKind.WorkerDropped,
            Name,
            lease.Name,
            detail: reason.Message
        );
        lease.Waiting?.TrySetResult();
        var left = _left;
        _left = NewSignal();
        left.SetResult();
        Wake();
    }

    /// <summary>Parks changes that were lost with their workers too often: they may have crashed them.</summary>
    private async Task ParkSpentAsync(
        WorkerLease lease,
        List<DeliveryItem> spent,
        MemoryHold hold,
        CancellationToken ct
    )
    {
        await CommitForAsync(
                lease,
                spent,
                [.. spent.Select(i => new ParkedChange(i, "rejected", i.Reason ?? "it was given too often"))],
                null,
                ct
            )
            .ConfigureAwait(false);
        lock (_gate)
        {
            foreach (var item in lease.Batch)
            {
                lease.End(item);
                if (item.State == DeliveryState.InFlight)
                    _window.Return(item, 0, null);
            }

            lease.Batch.Clear();
            Committed(lease);
        }

        hold.Release();
    }

    private void OnTimer()
    {
        lock (_gate)
        {
            foreach (var lease in _leases.Expired(Now))
            {
                End(
                    lease,
                    new SubscriptionException(
                        Name,
                        SubscriptionProblem.LeaseLost,
                        $"The worker '{lease.Name}' of subscription '{Name}' was not heard of for {lease.Duration.TotalSeconds:0.###} s; its batch goes to another."
                    )
                );
            }

            Wake();
            Arm(_leases.NextExpiry);
        }
    }

    /// <summary>Wakes the waiting workers, so that they look again.</summary>
    private void Wake()
    {
        foreach (var lease in _leases.Workers)
        {
            lease.Waiting?.TrySetResult();
            lease.Waiting = null;
        }
    }

    /// <summary>Ensures that <see cref="OnTimer"/> runs at this time or earlier.</summary>
    private void Arm(long ticks)
    {
        ticks = Math.Min(ticks, _leases.NextExpiry);
        if (ticks == long.MaxValue)
            return;
        var wait = Math.Clamp(TimeSpan.FromTicks(ticks - Now).TotalMilliseconds + 1, 1, 3_600_000);
        _timer.Change(TimeSpan.FromMilliseconds(wait), Timeout.InfiniteTimeSpan);
    }
}
