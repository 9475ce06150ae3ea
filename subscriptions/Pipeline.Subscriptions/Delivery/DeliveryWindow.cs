namespace Pipeline.Subscriptions;

/// <summary>
/// The changes between the acknowledged position and the end of what was read: which wait, which are with workers, and how far everything is dealt with.
/// Pure: it has no clock and does no I/O. Not thread-safe.
/// </summary>
/// <remarks>
/// Both lists are in order of position. A change is given to nobody while an earlier one of its key waits, so the order of a key holds also when changes
/// are retried. The position is that before the first change not dealt with. Behind it everything that was read is dealt with or does not match, but for what is
/// outstanding: that makes the ranges that are kept with the position, so that they are not given again after a crash.
/// </remarks>
internal sealed partial class DeliveryWindow(int maxItems, long maxBytes)
{
    private readonly SortedDictionary<long, DeliveryItem?> _again = [];
    private DeliveryItem? _firstWaiting, _lastWaiting;
    private DeliveryItem? _firstOutstanding, _lastOutstanding;
    private DoneRange[] _recovered = [];
    private long _lastDone;
    private int _count;
    private long _bytes;

    /// <summary>Everything up to here was read; what is not among the outstanding does not match or is dealt with.</summary>
    public long Through { get; private set; }

    /// <summary>Everything up to here is dealt with.</summary>
    public long Position => _firstOutstanding is { } first ? first.Position - 1 : Through;

    /// <summary>What lies before <see cref="Position"/> and is to be given once more.</summary>
    public IReadOnlyCollection<long> Again => _again.Keys;

    /// <summary>Changes that wait or are with workers.</summary>
    public int Count => _count;

    /// <summary>Whether more may be read.</summary>
    public bool HasRoom => _count < maxItems && _bytes < maxBytes;

    /// <summary>Whether everything that was read is dealt with.</summary>
    public bool IsEmpty => _count == 0;

    /// <summary>The first change that is not dealt with.</summary>
    public DeliveryItem? First => _firstOutstanding;

    /// <summary>Begins anew at a position.</summary>
    public void Reset(long position, IReadOnlyList<DoneRange> ahead, IEnumerable<long> again)
    {
        for (DeliveryItem? item = _firstOutstanding, next; item is not null; item = next)
        {
            // Its memory may go with it, and its place in the list.
            next = item.NextOutstanding;
            item.Memory?.Release();
        }

        (_firstWaiting, _lastWaiting, _firstOutstanding, _lastOutstanding) = (null, null, null, null);
        (_count, _bytes, Through) = (0, 0, position);
        _recovered = [.. ahead];
        _lastDone = ahead.Count == 0 ? 0 : ahead[^1].To;
        _again.Clear();
        foreach (long one in again) _again[one] = null;
    }

    /// <summary>Whether a change that is read must not be given: it was dealt with before a crash.</summary>
    public bool IsDone(long position)
    {
        int low = 0, high = _recovered.Length - 1;
        while (low <= high)
        {
            int middle = (low + high) >>> 1;
            if (_recovered[middle].To < position) low = middle + 1;
            else if (_recovered[middle].From > position) high = middle - 1;
            else return true;
        }

        return false;
    }

    /// <summary>Takes in a change, whose position is over all before it. Its memory is used until it is dealt with.</summary>
    public void Add(DeliveryItem item)
    {
        AddInHand(item);
        item.State = DeliveryState.Waiting;
        item.PreviousWaiting = _lastWaiting;
        if (_lastWaiting is null) _firstWaiting = item;
        else _lastWaiting.NextWaiting = item;
        _lastWaiting = item;
    }

    /// <summary>Takes in a change as <see cref="Add"/> does, which is given to nobody.</summary>
    public void AddInHand(DeliveryItem item)
    {
        item.State = DeliveryState.InFlight;
        item.Memory?.Use();
        _count++;
        _bytes += item.Bytes;
        item.PreviousOutstanding = _lastOutstanding;
        if (_lastOutstanding is null) _firstOutstanding = item;
        else _lastOutstanding.NextOutstanding = item;
        _lastOutstanding = item;
    }

    /// <summary>What was to be given once more is not there any more.</summary>
    public void ForgetAgain(long position) => _again.Remove(position);

    /// <summary>Takes in a change that lies before the position and is to be given once more.</summary>
    public void AddAgain(DeliveryItem item)
    {
        item.Memory?.Use();
        _again[item.Position] = item;
        _count++;
        _bytes += item.Bytes;
        Wait(item);
    }

    /// <summary>Notes that everything up to a position was read.</summary>
    public void ReadThrough(long position)
    {
        Through = Math.Max(Through, position);
        if (_recovered.Length > 0 && _recovered[^1].To <= Through) _recovered = [];
    }

    /// <summary>How far everything would be dealt with if these were.</summary>
    public SubscriptionCheckpoint After(IReadOnlyList<DeliveryItem> settled, IReadOnlyCollection<string> held)
    {
        long last = _lastDone;
        bool anyAgain = false;
        for (int i = 0; i < settled.Count; i++)
        {
            DeliveryItem item = settled[i];
            item.IsSettling = true;
            anyAgain |= item.IsAgain;
            if (!item.IsAgain) last = Math.Max(last, item.Position);
        }

        DeliveryItem? first = Left(_firstOutstanding);
        long[] again = _again.Count == 0 ? [] : anyAgain ? [.. _again.Where(pair => pair.Value is not { IsSettling: true }).Select(pair => pair.Key)] : [.. _again.Keys];
        var checkpoint = new SubscriptionCheckpoint(first is null ? Through : first.Position - 1, Ranges(first, last), again, [.. held]);
        for (int i = 0; i < settled.Count; i++) settled[i].IsSettling = false;
        return checkpoint;
    }

    /// <summary>What lies between the outstanding ones up to the last that is dealt with, and what was dealt with before a crash and is not read again yet.</summary>
    private List<DoneRange> Ranges(DeliveryItem? first, long last)
    {
        List<DoneRange> ranges = [];
        for (DeliveryItem? item = first; item is not null && item.Position < last;)
        {
            DeliveryItem? next = Left(item.NextOutstanding);
            long to = next is null ? Through : next.Position - 1;
            if (to > item.Position) ranges.Add(new DoneRange(item.Position + 1, to));
            item = next;
        }

        foreach (DoneRange range in _recovered)
        {
            if (range.To > Through) ranges.Add(range with { From = Math.Max(range.From, Through + 1) });
        }

        return ranges;
    }

    /// <summary>The first from here on that would still be outstanding.</summary>
    private static DeliveryItem? Left(DeliveryItem? item)
    {
        while (item is { IsSettling: true }) item = item.NextOutstanding;
        return item;
    }

    /// <summary>What was dealt with leaves the window.</summary>
    public void Settle(DeliveryItem item)
    {
        if (item.State == DeliveryState.Waiting) StopWaiting(item);
        item.State = DeliveryState.Done;
        _count--;
        _bytes -= item.Bytes;
        if (item.IsAgain)
        {
            _again.Remove(item.Position);
            return;
        }

        _lastDone = Math.Max(_lastDone, item.Position);
        if (item.PreviousOutstanding is { } previous) previous.NextOutstanding = item.NextOutstanding;
        else _firstOutstanding = item.NextOutstanding;
        if (item.NextOutstanding is { } next) next.PreviousOutstanding = item.PreviousOutstanding;
        else _lastOutstanding = item.PreviousOutstanding;
        item.Memory?.Release();
    }

    /// <summary>A change that a worker had waits again, in its place; one that is not due yet in memory of its own.</summary>
    public void Return(DeliveryItem item, long dueTicks, string? reason)
    {
        item.State = DeliveryState.Waiting;
        item.DueTicks = dueTicks;
        item.Reason = reason ?? item.Reason;
        if (dueTicks > 0) item.Detach();
        Wait(item);
    }

    /// <summary>Puts it where its position belongs; that is near the beginning.</summary>
    private void Wait(DeliveryItem item)
    {
        DeliveryItem? after = null;
        for (DeliveryItem? at = _firstWaiting; at is not null && at.Position < item.Position; at = at.NextWaiting) after = at;
        item.PreviousWaiting = after;
        item.NextWaiting = after is null ? _firstWaiting : after.NextWaiting;
        if (after is null) _firstWaiting = item;
        else after.NextWaiting = item;
        if (item.NextWaiting is { } next) next.PreviousWaiting = item;
        else _lastWaiting = item;
    }

    private void StopWaiting(DeliveryItem item)
    {
        if (item.PreviousWaiting is { } previous) previous.NextWaiting = item.NextWaiting;
        else _firstWaiting = item.NextWaiting;
        if (item.NextWaiting is { } next) next.PreviousWaiting = item.PreviousWaiting;
        else _lastWaiting = item.PreviousWaiting;
        (item.PreviousWaiting, item.NextWaiting) = (null, null);
    }
}
