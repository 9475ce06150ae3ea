namespace Pipeline.Subscriptions;

/// <summary>
/// A worker's hold on partitions, which expires unless the worker reports in time. Guarded by its subscription.
/// </summary>
internal sealed class WorkerLease(long token, string name, TimeSpan duration)
{
    private readonly bool[] _partitions = new bool[DeliveryPartition.Count];
    private readonly TaskCompletionSource<SubscriptionException> _whenEnded = new(
        TaskCreationOptions.RunContinuationsAsynchronously
    );
    private readonly int[] _inFlight = new int[DeliveryPartition.Count];

    /// <summary>Identifies this lease; a lease that has ended never becomes valid again.</summary>
    public long Token => token;

    public string Name => name;

    public TimeSpan Duration => duration;

    /// <summary>When it expires, in UTC ticks.</summary>
    public long UntilTicks { get; set; }

    /// <summary>Why it ended; null while it is valid.</summary>
    public SubscriptionException? Ended { get; private set; }

    /// <summary>Completes when it ends.</summary>
    public Task<SubscriptionException> WhenEnded => _whenEnded.Task;

    /// <summary>The changes that the worker has and has not settled.</summary>
    public List<DeliveryItem> Batch { get; } = [];

    /// <summary>The items of a former batch, for reuse.</summary>
    public DeliveryItem[]? Spare { get; set; }

    public bool HasBatch { get; set; }

    /// <summary>The resync mark that the worker has.</summary>
    public ResyncPhase? Mark { get; set; }

    /// <summary>Whether its acknowledgement is being made durable: the lease ends only after that.</summary>
    public bool IsCommitting { get; set; }

    /// <summary>Why it must end once its commit is done.</summary>
    public SubscriptionException? Ending { get; set; }

    /// <summary>Completed when there may be changes for the worker.</summary>
    public TaskCompletionSource? Waiting { get; set; }

    /// <summary>The partitions it may take from, without those that it must give up.</summary>
    public ReadOnlySpan<bool> Partitions => _partitions;

    public int PartitionCount { get; private set; }

    /// <summary>Ends the lease.</summary>
    public void End(SubscriptionException reason)
    {
        Ended = reason;
        _whenEnded.TrySetResult(reason);
    }

    public long Delivered { get; set; }

    public long Acknowledged { get; set; }

    /// <summary>A copy of the batch for its worker, which may still read it after the lease has ended.</summary>
    public DeliveryItem[] CopyBatch()
    {
        var items = Spare?.Length == Batch.Count ? Spare : new DeliveryItem[Batch.Count];
        Spare = null;
        Batch.CopyTo(items);
        return items;
    }

    public void Own(int partition, bool owns)
    {
        if (_partitions[partition] == owns)
            return;
        _partitions[partition] = owns;
        PartitionCount += owns ? 1 : -1;
    }

    public bool IsBusy(int partition) => _inFlight[partition] > 0;

    public void Begin(DeliveryItem item) => _inFlight[item.Partition]++;

    public void End(DeliveryItem item) => _inFlight[item.Partition]--;
}
