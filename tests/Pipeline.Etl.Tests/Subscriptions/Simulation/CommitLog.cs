namespace Pipeline.Etl.Tests.Subscriptions.Simulation;

/// <summary>
/// Records which changes were committed and who handled them, and detects broken promises. The judge: it knows nothing
/// of windows and leases.
/// </summary>
internal sealed class CommitLog(int keys)
{
    private readonly List<(int Key, bool IsVisible)> _changes = [];
    private readonly List<bool> _dealtWith = [];
    private readonly Queue<long>[] _openOfKey = [.. Enumerable.Range(0, keys).Select(_ => new Queue<long>())];
    private readonly object?[] _holderOfKey = new object?[keys];
    private readonly int[] _givenOfKey = new int[keys];

    /// <summary>Positions given out.</summary>
    public int Count => _changes.Count;

    /// <summary>The last position that a reader may see.</summary>
    public long LastVisible { get; private set; }

    public int DealtWith { get; private set; }

    public int KeyOf(long position) => _changes[(int)position - 1].Key;

    public bool IsVisible(long position) => _changes[(int)position - 1].IsVisible;

    /// <summary>Gives out the next position.</summary>
    public long Add(int key, bool isVisible)
    {
        _changes.Add((key, isVisible));
        _dealtWith.Add(false);
        _openOfKey[key].Enqueue(Count);
        if (isVisible)
            LastVisible = Count;
        return Count;
    }

    public void Show(long position)
    {
        _changes[(int)position - 1] = _changes[(int)position - 1] with { IsVisible = true };
        LastVisible = Math.Max(LastVisible, position);
    }

    /// <summary>
    /// Gives changes to a worker: for each key, the first open ones in order, and no other worker may hold the key.
    /// Returns a fault or null.
    /// </summary>
    public string? Give(object holder, IEnumerable<long> positions)
    {
        Array.Clear(_givenOfKey);
        foreach (var position in positions)
        {
            var key = KeyOf(position);
            if (_holderOfKey[key] is { } other && other != holder)
                return $"the change {position} was given while another worker has its key";
            _holderOfKey[key] = holder;
            var nth = _givenOfKey[key]++;
            var due = _openOfKey[key].ElementAtOrDefault(nth);
            if (due != position)
            {
                return _dealtWith[(int)position - 1]
                    ? $"the change {position} was given though it is dealt with"
                    : $"the change {position} was given before {due} of its key";
            }
        }

        return null;
    }

    /// <summary>A worker has nothing in hand any more.</summary>
    public void Release(object holder)
    {
        for (var i = 0; i < keys; i++)
        {
            if (_holderOfKey[i] == holder)
                _holderOfKey[i] = null;
        }
    }

    /// <summary>An effect is durable, with the acknowledgement: once, and in the order of its key.</summary>
    public string? Deal(long position)
    {
        if (_dealtWith[(int)position - 1])
            return $"the change {position} was acknowledged twice";
        var key = KeyOf(position);
        if (_openOfKey[key].Peek() != position)
            return $"the change {position} was acknowledged before {_openOfKey[key].Peek()} of its key";
        _openOfKey[key].Dequeue();
        _dealtWith[(int)position - 1] = true;
        DealtWith++;
        return null;
    }

    public long FirstOpen() => _dealtWith.IndexOf(false) + 1;
}
