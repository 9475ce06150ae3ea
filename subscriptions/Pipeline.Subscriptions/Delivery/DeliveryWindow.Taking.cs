namespace Pipeline.Subscriptions;

/// <content>Taking changes for a worker.</content>
internal sealed partial class DeliveryWindow
{
    private readonly HashSet<string> _blocked = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>Takes changes of some partitions, in order of position.</summary>
    /// <param name="partitions">Whether the worker owns each partition.</param>
    /// <param name="maxCount">The most changes.</param>
    /// <param name="maxBytes">The most bytes; one change is taken however large it is.</param>
    /// <param name="nowTicks">The time.</param>
    /// <param name="taken">The list that the changes are added to.</param>
    /// <returns>
    /// When the first change that is not yet due becomes due; <see cref="long.MaxValue"/> if all are due.
    /// </returns>
    public long Take(
        ReadOnlySpan<bool> partitions,
        int maxCount,
        long maxBytes,
        long nowTicks,
        List<DeliveryItem> taken
    )
    {
        long next = long.MaxValue,
            bytes = 0;
        _blocked.Clear();
        for (
            DeliveryItem? item = _firstWaiting, following;
            item is not null && taken.Count < maxCount;
            item = following
        )
        {
            following = item.NextWaiting;
            if (!partitions[item.Partition])
                continue;
            if (item.DueTicks > nowTicks)
            {
                next = Math.Min(next, item.DueTicks);
                _blocked.Add(item.Change.Id);
                continue;
            }

            if (_blocked.Count > 0 && _blocked.Contains(item.Change.Id))
                continue;
            if (taken.Count > 0 && bytes + item.Bytes > maxBytes)
                break;
            bytes += item.Bytes;
            StopWaiting(item);
            item.State = DeliveryState.InFlight;
            taken.Add(item);
        }

        return next;
    }

    /// <summary>Changes that wait for another attempt.</summary>
    public int CountRetrying(long nowTicks)
    {
        var count = 0;
        for (var item = _firstWaiting; item is not null; item = item.NextWaiting)
            count += item.DueTicks > nowTicks ? 1 : 0;
        return count;
    }
}
