namespace Pipeline.Subscriptions;

/// <summary>A worker's hold on partitions, good until its time is over unless it is heard of before. Guarded by its subscription.</summary>
internal sealed class WorkerLease(long token, string name, TimeSpan duration)
{
    private readonly bool[] _partitions = new bool[DeliveryPartition.Count];
    private readonly TaskCompletionSource<SubscriptionException> _whenEnded = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly int[] _inFlight = new int[DeliveryPartition.Count];

    /// <summary>What tells this hold from all others; one that is over is never good again.</summary>
    public long Token => token;

    public string Name => name;

    public TimeSpan Duration => duration;

    /// <summary>When it ends, in ticks of UTC.</summary>
    public long UntilTicks { get; set; }

    /// <summary>Why it ended; null while it holds.</summary>
    public SubscriptionException? Ended { get; private set; }

    /// <summary>Done when it ends.</summary>
    public Task<SubscriptionException> WhenEnded => _whenEnded.Task;

    /// <summary>What the worker has at the moment, and has not settled.</summary>
    public List<DeliveryItem> Batch { get; } = [];

    /// <summary>The items of a batch that is over, to be filled again.</summary>
    public DeliveryItem[]? Spare { get; set; }

    public bool HasBatch { get; set; }

    /// <summary>The mark of a resync that it has in hand.</summary>
    public ResyncPhase? Mark { get; set; }

    /// <summary>Its acknowledgement is being made durable: it ends only after that.</summary>
    public bool IsCommitting { get; set; }

    /// <summary>Why it is to end as soon as it does not commit any more.</summary>
    public SubscriptionException? Ending { get; set; }

    /// <summary>Completed when there may be something for the worker.</summary>
    public TaskCompletionSource? Waiting { get; set; }

    /// <summary>Partitions of which it may take; those that it is to give up are not among them.</summary>
    public ReadOnlySpan<bool> Partitions => _partitions;

    public int PartitionCount { get; private set; }

    /// <summary>Ends it.</summary>
    public void End(SubscriptionException reason)
    {
        Ended = reason;
        _whenEnded.TrySetResult(reason);
    }

    public long Delivered { get; set; }

    public long Acknowledged { get; set; }

    /// <summary>The batch for its worker, who may look at it when the lease is over.</summary>
    public DeliveryItem[] CopyBatch()
    {
        DeliveryItem[] items = Spare?.Length == Batch.Count ? Spare : new DeliveryItem[Batch.Count];
        Spare = null;
        Batch.CopyTo(items);
        return items;
    }

    public void Own(int partition, bool owns)
    {
        if (_partitions[partition] == owns) return;
        _partitions[partition] = owns;
        PartitionCount += owns ? 1 : -1;
    }

    public bool IsBusy(int partition) => _inFlight[partition] > 0;

    public void Begin(DeliveryItem item) => _inFlight[item.Partition]++;

    public void End(DeliveryItem item) => _inFlight[item.Partition]--;
}
