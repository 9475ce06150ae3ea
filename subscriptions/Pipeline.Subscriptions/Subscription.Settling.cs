using Pipeline.Database;

namespace Pipeline.Subscriptions;

/// <content>Acknowledging, rejecting, parking: what moves the position, durably.</content>
internal sealed partial class Subscription
{
    /// <summary>Acknowledges a worker's batch but for what it rejected.</summary>
    /// <exception cref="SubscriptionException">The worker's lease is over: nothing was done.</exception>
    public async Task SettleAsync(
        WorkerLease lease, IReadOnlyList<DeliveryItem> items, Dictionary<DeliveryItem, string>? rejected, Action<DocumentTransaction>? effect, CancellationToken ct)
    {
        List<DeliveryItem> settled = [];
        List<Parked>? parked = null;
        List<(DeliveryItem Item, string Reason)> again = [];
        foreach (DeliveryItem item in items)
        {
            if (rejected is null || !rejected.TryGetValue(item, out string? reason))
            {
                settled.Add(item);
            }
            else if (item.Attempts + 1 >= Definition.MaxAttempts)
            {
                settled.Add(item);
                item.Attempts++;
                (parked ??= []).Add(new Parked(item, "rejected", reason));
            }
            else
            {
                again.Add((item, reason));
            }
        }

        await CommitForAsync(lease, settled, parked, effect, ct).ConfigureAwait(false);
        lock (_gate)
        {
            foreach ((DeliveryItem item, string reason) in again)
            {
                item.Attempts++;
                _window.Return(item, Now + RetryDelay(item.Attempts).Ticks, reason);
            }

            foreach (DeliveryItem item in items) lease.End(item);
            lease.Batch.Clear();
            lease.HasBatch = false;
            lease.UntilTicks = long.MaxValue;
            lease.Acknowledged += settled.Count;
            _acknowledged += settled.Count;
            _leases.HandOver();
            Committed(lease);
            Wake();
        }
    }

    /// <summary>Commits for a worker, whose lease holds from the check until <see cref="Committed"/>.</summary>
    private async Task CommitForAsync(
        WorkerLease lease, List<DeliveryItem> settled, List<Parked>? parked, Action<DocumentTransaction>? effect, CancellationToken ct)
    {
        lock (_gate)
        {
            ThrowIfEnded(lease);
            lease.IsCommitting = true;
        }

        if (settled.Count == 0 && effect is null) return;
        try
        {
            await CommitAsync(settled, parked, effect, ct).ConfigureAwait(false);
        }
        catch
        {
            lock (_gate) Committed(lease);
            throw;
        }
    }

    private void Committed(WorkerLease lease)
    {
        lease.IsCommitting = false;
        if (lease.Ending is { } reason) End(lease, reason);
        else Arm(lease.UntilTicks);
    }

    /// <summary>
    /// Makes it durable that changes are dealt with, with what is to be written beside. Commits follow one another, so that each position includes those before it.
    /// </summary>
    private async Task CommitAsync(IReadOnlyCollection<DeliveryItem> settled, List<Parked>? parked, Action<DocumentTransaction>? effect, CancellationToken ct)
    {
        await _commit.WaitAsync(ct).ConfigureAwait(false);
        try
        {
            SubscriptionCheckpoint checkpoint;
            lock (_gate)
            {
                IReadOnlyCollection<string> held = parked is null || !_definition.HoldParkedKeys ? _held : [.. _held.Union(parked.Select(p => p.Item.Change.Id.ToLowerInvariant()))];
                checkpoint = _window.After(settled, held);
            }

            byte[] state = checkpoint.ToBytes();
            List<(string Id, byte[] Json)> letters = [.. (parked ?? []).Select(p =>
                (DeadLetter.IdOf(Name, p.Item.Position), DeadLetter.Write(Name, p.Item.Change, p.Kind, p.Reason, p.Item.Attempts, _time.GetUtcNow())))];
            string key = CheckpointKey(Name);
            await _database.WriteAsync(
                transaction =>
                {
                    effect?.Invoke(transaction);
                    foreach ((string id, byte[] json) in letters) transaction.Put(id, json);
                    transaction.SetState(key, state);
                },
                CancellationToken.None).ConfigureAwait(false);
            lock (_gate)
            {
                foreach (DeliveryItem item in settled) _window.Settle(item);
                _held.UnionWith(checkpoint.Held);
                PersistedPosition = checkpoint.Position;
                ParkedCount += letters.Count;
                Free();
            }
        }
        finally
        {
            _commit.Release();
        }
    }

    private long _acknowledged;

    /// <summary>Changes parked since the start.</summary>
    public long ParkedCount { get; private set; }

    /// <summary>The place as it is in memory: at least what is durable.</summary>
    public SubscriptionCheckpoint Checkpoint()
    {
        lock (_gate) return _window.After([], _held);
    }

    /// <summary>What is to be seen of it.</summary>
    public SubscriptionStatus GetStatus()
    {
        lock (_gate)
        {
            long now = Now;
            int retrying = _window.CountRetrying(now);
            int inFlight = _leases.Workers.Sum(w => w.Batch.Count);
            double lag = _window.First is { } first ? Math.Max(0, TimeSpan.FromTicks(now - first.Change.LastModified.UtcTicks).TotalSeconds) : 0;
            return new SubscriptionStatus(
                Name, _definition, _window.Position, _database.LastPosition, lag, Math.Max(0, _window.Count - inFlight - retrying), inFlight, retrying, ParkedCount, _acknowledged, _held.Count,
                [.. _leases.Workers.Select(w => new WorkerStatus(
                    w.Name, w.PartitionCount, w.Batch.Count, w.Delivered, w.Acknowledged, w.HasBatch ? new DateTimeOffset(w.UntilTicks, TimeSpan.Zero) : null))],
                _ended?.Message);
        }
    }

    private static void ThrowIfEnded(WorkerLease lease)
    {
        if (lease.Ended is { } reason) throw reason;
    }

    private TimeSpan RetryDelay(int attempts)
    {
        double doubled = _definition.RetryDelay.Ticks * Math.Pow(2, Math.Min(attempts - 1, 30));
        return TimeSpan.FromTicks((long)Math.Min(doubled, _definition.MaxRetryDelay.Ticks));
    }

    /// <summary>Tells the reading that there is room.</summary>
    private void Free()
    {
        if (!_window.HasRoom || _freed.Task.IsCompleted) return;
        _freed.SetResult();
        _freed = NewSignal();
    }
}
