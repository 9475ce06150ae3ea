namespace Pipeline.Subscriptions;

/// <summary>
/// The changes between the acknowledged position and the end of what was read: which wait, which are with workers, and how far everything is dealt with.
/// Pure: it has no clock and does no I/O. Not thread-safe.
/// </summary>
/// <remarks>
/// Both lists are in order of position. A change is given to nobody while an earlier one of its key waits, so the order of a key holds also when changes
/// are retried. The position is that before the first change not dealt with; those dealt with behind it are kept as <see cref="Ahead"/>, so that they are
/// not given again after a crash.
/// </remarks>
internal sealed partial class DeliveryWindow(int maxItems, long maxBytes)
{
    /// <summary>The most changes dealt with behind one that is not; reading waits then. They are kept with the position.</summary>
    public const int MaxAhead = 16_384;

    private readonly SortedSet<long> _ahead = [];
    private readonly SortedDictionary<long, DeliveryItem?> _again = [];
    private DeliveryItem? _firstWaiting, _lastWaiting;
    private DeliveryItem? _firstOutstanding, _lastOutstanding;
    private int _count;
    private long _bytes;

    /// <summary>Everything up to here was read; what is not among the outstanding does not match or is dealt with.</summary>
    public long Through { get; private set; }

    /// <summary>Everything up to here is dealt with.</summary>
    public long Position => _firstOutstanding is { } first ? first.Position - 1 : Through;

    /// <summary>What is dealt with behind <see cref="Position"/>.</summary>
    public IReadOnlyCollection<long> Ahead => _ahead;

    /// <summary>What lies before <see cref="Position"/> and is to be given once more.</summary>
    public IReadOnlyCollection<long> Again => _again.Keys;

    /// <summary>Changes that wait or are with workers.</summary>
    public int Count => _count;

    /// <summary>Whether more may be read.</summary>
    public bool HasRoom => _count < maxItems && _bytes < maxBytes && _ahead.Count < MaxAhead;

    /// <summary>Whether everything that was read is dealt with.</summary>
    public bool IsEmpty => _count == 0;

    /// <summary>The first change that is not dealt with.</summary>
    public DeliveryItem? First => _firstOutstanding;

    /// <summary>Begins anew at a position.</summary>
    public void Reset(long position, IEnumerable<long> ahead, IEnumerable<long> again)
    {
        for (DeliveryItem? item = _firstOutstanding; item is not null; item = item.NextOutstanding) item.Memory?.Release();
        (_firstWaiting, _lastWaiting, _firstOutstanding, _lastOutstanding) = (null, null, null, null);
        (_count, _bytes, Through) = (0, 0, position);
        _ahead.Clear();
        _ahead.UnionWith(ahead);
        _again.Clear();
        foreach (long one in again) _again[one] = null;
    }

    /// <summary>Whether a change that is read must not be given: it was dealt with before a crash.</summary>
    public bool IsDone(long position) => _ahead.Contains(position);

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
        Tidy();
    }

    /// <summary>How far everything would be dealt with if these were.</summary>
    public SubscriptionCheckpoint After(IReadOnlyCollection<DeliveryItem> settled, IReadOnlyCollection<string> held)
    {
        var done = new HashSet<DeliveryItem>(settled);
        DeliveryItem? first = _firstOutstanding;
        while (first is not null && done.Contains(first)) first = first.NextOutstanding;
        long position = first is null ? Through : first.Position - 1;
        List<long> ahead = [.. _ahead.Where(p => p > position), .. settled.Where(i => !i.IsAgain && i.Position > position).Select(i => i.Position)];
        ahead.Sort();
        HashSet<long> againDone = [.. settled.Where(i => i.IsAgain).Select(i => i.Position)];
        return new SubscriptionCheckpoint(position, ahead, [.. _again.Keys.Where(p => !againDone.Contains(p))], [.. held]);
    }

    /// <summary>What was dealt with leaves the window.</summary>
    public void Settle(DeliveryItem item)
    {
        if (item.State == DeliveryState.Waiting) StopWaiting(item);
        item.State = DeliveryState.Done;
        _count--;
        _bytes -= item.Bytes;
        item.Memory?.Release();
        if (item.IsAgain)
        {
            _again.Remove(item.Position);
            return;
        }

        bool first = item.PreviousOutstanding is null;
        if (item.PreviousOutstanding is { } previous) previous.NextOutstanding = item.NextOutstanding;
        else _firstOutstanding = item.NextOutstanding;
        if (item.NextOutstanding is { } next) next.PreviousOutstanding = item.PreviousOutstanding;
        else _lastOutstanding = item.PreviousOutstanding;
        if (first) Tidy();
        else _ahead.Add(item.Position);
    }

    /// <summary>A change that a worker had waits again, in its place.</summary>
    public void Return(DeliveryItem item, long dueTicks, string? reason)
    {
        item.State = DeliveryState.Waiting;
        item.DueTicks = dueTicks;
        item.Reason = reason ?? item.Reason;
        Wait(item);
    }

    private void Tidy()
    {
        if (_ahead.Count > 0) _ahead.RemoveWhere(position => position <= Position);
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
