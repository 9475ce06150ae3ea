namespace Pipeline.Subscriptions;

/// <summary>
/// Which worker owns which partition. Pure and deterministic: the caller passes the time. A partition moves to another
/// worker only when its former owner has none of its changes in progress, or has lost its lease. Guarded by its
/// subscription.
/// </summary>
internal sealed class LeaseTable
{
    private readonly List<WorkerLease> _workers = [];
    private readonly WorkerLease?[] _owners = new WorkerLease?[DeliveryPartition.Count];
    private readonly WorkerLease?[] _next = new WorkerLease?[DeliveryPartition.Count];
    private long _lastToken;

    /// <summary>The workers that hold a lease, in the order in which they joined.</summary>
    public IReadOnlyList<WorkerLease> Workers => _workers;

    /// <summary>Gives a lease and redistributes the partitions.</summary>
    public WorkerLease Join(string name, TimeSpan duration, long nowTicks)
    {
        var lease = new WorkerLease(++_lastToken, name, duration) { UntilTicks = nowTicks + duration.Ticks };
        _workers.Add(lease);
        Spread();
        return lease;
    }

    /// <summary>Ends a lease. The caller returns the worker's changes to the window.</summary>
    public void Leave(WorkerLease lease, SubscriptionException reason)
    {
        if (!_workers.Remove(lease))
            return;
        lease.End(reason);
        for (var i = 0; i < _owners.Length; i++)
        {
            lease.Own(i, false);
            if (_owners[i] == lease)
                _owners[i] = null;
            if (_next[i] == lease)
                _next[i] = null;
        }

        Spread();
    }

    /// <summary>The expired leases.</summary>
    public List<WorkerLease> Expired(long nowTicks) =>
        [.. _workers.Where(w => w.UntilTicks <= nowTicks && !w.IsCommitting)];

    /// <summary>When the first lease expires; <see cref="long.MaxValue"/> if there is none.</summary>
    public long NextExpiry
    {
        get
        {
            var next = long.MaxValue;
            foreach (var worker in _workers)
                next = worker.IsCommitting ? next : Math.Min(next, worker.UntilTicks);
            return next;
        }
    }

    /// <summary>Hands over partitions whose former worker has none of their changes in progress.</summary>
    /// <returns>Whether any was handed over.</returns>
    public bool HandOver()
    {
        var changed = false;
        for (var i = 0; i < _owners.Length; i++)
        {
            if (_next[i] is not { } next || (_owners[i] is { } owner && owner.IsBusy(i)))
                continue;
            _owners[i]?.Own(i, false);
            _owners[i] = next;
            _next[i] = null;
            next.Own(i, true);
            changed = true;
        }

        return changed;
    }

    /// <summary>
    /// Plans the distribution: as even as possible, with the fewest moves. Workers with more than their share give up
    /// their last partitions.
    /// </summary>
    private void Spread()
    {
        if (_workers.Count == 0)
        {
            Array.Clear(_next);
            return;
        }

        var shares = new Dictionary<WorkerLease, int>();
        for (var i = 0; i < _workers.Count; i++)
        {
            shares[_workers[i]] =
                (DeliveryPartition.Count / _workers.Count) + (i < DeliveryPartition.Count % _workers.Count ? 1 : 0);
        }

        var free = new List<int>();
        for (var i = 0; i < _owners.Length; i++)
        {
            var keeps = _next[i] ?? _owners[i];
            if (keeps is null || shares[keeps] == 0)
            {
                free.Add(i);
                continue;
            }

            shares[keeps]--;

            // It may have been promised to a worker that has left since.
            if (_next[i] is null)
                keeps.Own(i, true);
        }

        foreach (var partition in free)
        {
            var taker = _workers.First(w => shares[w] > 0);
            shares[taker]--;
            _owners[partition]?.Own(partition, false);
            _next[partition] = taker;
        }

        HandOver();
    }
}
