namespace Pipeline.Subscriptions;

/// <summary>
/// The changes that were read after the acknowledged position. It knows which changes wait, which are with workers, and
/// how far all are settled. Pure: it has no clock and does no I/O. Not thread-safe.
/// </summary>
/// <remarks>
/// Both lists are in order of position. A change is not delivered while an earlier one of its key waits, so a key's
/// order also survives retries. The position lies just before the first outstanding change. After it, every change that
/// was read is outstanding, settled, or does not match. The gaps between outstanding changes are the ranges stored with
/// the position, so that a crash does not deliver them again.
/// </remarks>
internal sealed partial class DeliveryWindow(int maxItems, long maxBytes)
{
    /// <summary>
    /// About how many bytes of memory an item holds apart from its body: itself, its change, the text of its id.
    /// </summary>
    public const int ItemBytes = 512;

    private readonly SortedDictionary<long, DeliveryItem?> _again = [];
    private DeliveryItem? _firstWaiting,
        _lastWaiting;
    private DeliveryItem? _firstOutstanding,
        _lastOutstanding;
    private DoneRange[] _recovered = [];
    private long _lastDone;
    private int _count;
    private long _bytes;

    /// <summary>
    /// Everything up to here was read; a change up to here that is not outstanding is settled or does not match.
    /// </summary>
    public long Through { get; private set; }

    /// <summary>Everything up to here is settled.</summary>
    public long Position => _firstOutstanding is { } first ? first.Position - 1 : Through;

    /// <summary>Positions before <see cref="Position"/> to deliver again.</summary>
    public IReadOnlyCollection<long> Again => _again.Keys;

    /// <summary>Changes that wait or are with workers.</summary>
    public int Count => _count;

    /// <summary>The bytes from which no more is read.</summary>
    public long MaxBytes { get; set; } = maxBytes;

    /// <summary>Whether more may be read.</summary>
    public bool HasRoom => _count < maxItems && _bytes + ((long)_count * ItemBytes) < MaxBytes;

    /// <summary>Whether everything that was read is settled.</summary>
    public bool IsEmpty => _count == 0;

    /// <summary>The first change that is not settled; null if all are.</summary>
    public DeliveryItem? First => _firstOutstanding;

    /// <summary>Starts over at a position.</summary>
    public void Reset(long position, IReadOnlyList<DoneRange> ahead, IEnumerable<long> again)
    {
        for (DeliveryItem? item = _firstOutstanding, next; item is not null; item = next)
        {
            // Removing the item may release its memory and its link.
            next = item.NextOutstanding;
            item.Memory?.Release();
        }

        (_firstWaiting, _lastWaiting, _firstOutstanding, _lastOutstanding) = (null, null, null, null);
        (_count, _bytes, Through) = (0, 0, position);
        _recovered = [.. ahead];
        _lastDone = ahead.Count == 0 ? 0 : ahead[^1].To;
        _again.Clear();
        foreach (var one in again)
            _again[one] = null;
    }

    /// <summary>Whether a change that is read must not be delivered, because it was settled before a crash.</summary>
    public bool IsDone(long position)
    {
        int low = 0,
            high = _recovered.Length - 1;
        while (low <= high)
        {
            var middle = (low + high) >>> 1;
            if (_recovered[middle].To < position)
                low = middle + 1;
            else if (_recovered[middle].From > position)
                high = middle - 1;
            else
                return true;
        }

        return false;
    }

    /// <summary>
    /// Adds a change; its position must be higher than all before it. Its memory is used until it is settled.
    /// </summary>
    public void Add(DeliveryItem item)
    {
        AddInHand(item);
        item.State = DeliveryState.Waiting;
        item.PreviousWaiting = _lastWaiting;
        if (_lastWaiting is null)
            _firstWaiting = item;
        else
            _lastWaiting.NextWaiting = item;
        _lastWaiting = item;
    }

    /// <summary>Adds a change as <see cref="Add"/> does, but does not deliver it.</summary>
    public void AddInHand(DeliveryItem item)
    {
        item.State = DeliveryState.InFlight;
        item.Memory?.Use();
        _count++;
        _bytes += item.Bytes;
        item.PreviousOutstanding = _lastOutstanding;
        if (_lastOutstanding is null)
            _firstOutstanding = item;
        else
            _lastOutstanding.NextOutstanding = item;
        _lastOutstanding = item;
    }

    /// <summary>Forgets a position to deliver again, because its change no longer exists.</summary>
    public void ForgetAgain(long position) => _again.Remove(position);

    /// <summary>Adds a change that lies before the position and must be delivered again.</summary>
    public void AddAgain(DeliveryItem item)
    {
        item.Memory?.Use();
        _again[item.Position] = item;
        _count++;
        _bytes += item.Bytes;
        Wait(item);
    }

    /// <summary>Records that everything up to a position was read.</summary>
    public void ReadThrough(long position)
    {
        Through = Math.Max(Through, position);
        if (_recovered.Length > 0 && _recovered[^1].To <= Through)
            _recovered = [];
    }

    /// <summary>The checkpoint as it would be with these changes settled.</summary>
    public SubscriptionCheckpoint After(IReadOnlyList<DeliveryItem> settled, IReadOnlyCollection<string> held)
    {
        var last = _lastDone;
        var anyAgain = false;
        for (var i = 0; i < settled.Count; i++)
        {
            var item = settled[i];
            item.IsSettling = true;
            anyAgain |= item.IsAgain;
            if (!item.IsAgain)
                last = Math.Max(last, item.Position);
        }

        var first = Left(_firstOutstanding);
        long[] again =
            _again.Count == 0 ? []
            : anyAgain ? [.. _again.Where(pair => pair.Value is not { IsSettling: true }).Select(pair => pair.Key)]
            : [.. _again.Keys];
        var checkpoint = new SubscriptionCheckpoint(
            first is null ? Through : first.Position - 1,
            Ranges(first, last),
            again,
            [.. held]
        );
        for (var i = 0; i < settled.Count; i++)
            settled[i].IsSettling = false;
        return checkpoint;
    }

    /// <summary>
    /// The settled ranges between outstanding changes, plus those settled before a crash that are not yet read again.
    /// </summary>
    private List<DoneRange> Ranges(DeliveryItem? first, long last)
    {
        List<DoneRange> ranges = [];
        for (var item = first; item is not null && item.Position < last; )
        {
            var next = Left(item.NextOutstanding);
            var to = next is null ? Through : next.Position - 1;
            if (to > item.Position)
                ranges.Add(new DoneRange(item.Position + 1, to));
            item = next;
        }

        foreach (var range in _recovered)
        {
            if (range.To > Through)
                ranges.Add(range with { From = Math.Max(range.From, Through + 1) });
        }

        return ranges;
    }

    /// <summary>The first item from here on that would still be outstanding.</summary>
    private static DeliveryItem? Left(DeliveryItem? item)
    {
        while (item is { IsSettling: true })
            item = item.NextOutstanding;
        return item;
    }

    /// <summary>Removes a settled change from the window.</summary>
    public void Settle(DeliveryItem item)
    {
        if (item.State == DeliveryState.Waiting)
            StopWaiting(item);
        item.State = DeliveryState.Done;
        _count--;
        _bytes -= item.Bytes;
        if (item.IsAgain)
        {
            _again.Remove(item.Position);
            return;
        }

        _lastDone = Math.Max(_lastDone, item.Position);
        if (item.PreviousOutstanding is { } previous)
            previous.NextOutstanding = item.NextOutstanding;
        else
            _firstOutstanding = item.NextOutstanding;
        if (item.NextOutstanding is { } next)
            next.PreviousOutstanding = item.PreviousOutstanding;
        else
            _lastOutstanding = item.PreviousOutstanding;
        item.Memory?.Release();
    }

    /// <summary>
    /// Puts a worker's change back into the queue, in its place. A change that is not yet due gets its own memory.
    /// </summary>
    public void Return(DeliveryItem item, long dueTicks, string? reason)
    {
        item.State = DeliveryState.Waiting;
        item.DueTicks = dueTicks;
        item.Reason = reason ?? item.Reason;
        if (dueTicks > 0)
            item.Detach();
        Wait(item);
    }

    /// <summary>Inserts the item by its position, which is near the beginning.</summary>
    private void Wait(DeliveryItem item)
    {
        DeliveryItem? after = null;
        for (var at = _firstWaiting; at is not null && at.Position < item.Position; at = at.NextWaiting)
            after = at;
        item.PreviousWaiting = after;
        item.NextWaiting = after is null ? _firstWaiting : after.NextWaiting;
        if (after is null)
            _firstWaiting = item;
        else
            after.NextWaiting = item;
        if (item.NextWaiting is { } next)
            next.PreviousWaiting = item;
        else
            _lastWaiting = item;
    }

    private void StopWaiting(DeliveryItem item)
    {
        if (item.PreviousWaiting is { } previous)
            previous.NextWaiting = item.NextWaiting;
        else
            _firstWaiting = item.NextWaiting;
        if (item.NextWaiting is { } next)
            next.PreviousWaiting = item.PreviousWaiting;
        else
            _lastWaiting = item.PreviousWaiting;
        (item.PreviousWaiting, item.NextWaiting) = (null, null);
    }
}
