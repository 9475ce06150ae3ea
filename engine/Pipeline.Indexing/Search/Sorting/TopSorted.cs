namespace Pipeline.Indexing;

/// <summary>
/// The first entries in some order: a heap with the last of them at the root. Of equals the lower entry number is
/// first. Keys are numbers that rise; where the order is descending they are inverted, so that there is only one
/// direction.
/// </summary>
internal sealed class TopSorted
{
    private readonly SortSource[] _sources;
    private readonly bool[] _descending;
    private readonly int _width;
    private readonly int _capacity;
    private readonly int[] _heap; // slots
    private readonly int[] _entries; // by slot
    private readonly float[] _scores;
    private readonly long[] _keys; // by slot, one for each source
    private readonly long[] _candidate;
    private readonly bool _plain; // one source, and equal keys are equal values
    private long[]? _after;
    private int _afterEntry;
    private int _count;

    /// <summary>Makes an empty one.</summary>
    /// <param name="sources">What gives the keys, the most important first.</param>
    /// <param name="descending">Which are to be inverted.</param>
    /// <param name="capacity">How many entries to keep, at least one.</param>
    public TopSorted(SortSource[] sources, bool[] descending, int capacity)
    {
        (_sources, _descending, _capacity, _width) = (sources, descending, capacity, sources.Length);
        (_heap, _entries, _scores, _keys) = (
            new int[capacity],
            new int[capacity + 1],
            new float[capacity + 1],
            new long[(capacity + 1) * _width]
        );
        _candidate = new long[_width];
        _plain = _width == 1 && sources[0].IsExact;
    }

    /// <summary>Bytes that one of a capacity takes.</summary>
    public static long Bytes(int capacity, int sources) => capacity * (12L + (8L * sources));

    /// <summary>How many there are.</summary>
    public int Count => _count;

    /// <summary>Empties it, and from then on takes only what comes behind the last that it had.</summary>
    public void Continue()
    {
        if (_count == 0)
            return;
        var slot = _heap[0];
        (_after, _afterEntry) = (_keys.AsSpan(slot * _width, _width).ToArray(), _entries[slot]);
        _count = 0;
    }

    /// <summary>Keeps of some entries those that are among the first so far.</summary>
    public void Add(ReadOnlySpan<int> entries, ReadOnlySpan<float> scores, Span<long> firstKeys)
    {
        var keys = firstKeys[..entries.Length];
        _sources[0].Encode(entries, scores, keys);
        if (_descending[0])
        {
            foreach (ref var key in keys)
                key = ~key;
        }

        for (var i = 0; i < keys.Length; i++)
        {
            if (_count == _capacity)
            {
                var worst = _keys[_heap[0] * _width];
                if (keys[i] > worst || (keys[i] == worst && _plain && entries[i] > _entries[_heap[0]]))
                    continue;
            }

            Offer(keys[i], entries[i], scores.IsEmpty ? 0 : scores[i]);
        }
    }

    /// <summary>Takes all out in their order; it is as after <see cref="Continue"/> then.</summary>
    public Hit[] Take()
    {
        var hits = new Hit[_count];
        var (slots, all) = (_heap.AsSpan(0, _count).ToArray(), _count);
        Array.Sort(slots, CompareSlots);
        for (var i = 0; i < all; i++)
            hits[i] = new Hit(_entries[slots[i]], _scores[slots[i]]);
        Continue();
        return hits;
    }

    private void Offer(long firstKey, int entry, float score)
    {
        _candidate[0] = firstKey;
        Span<int> one = [entry];
        Span<float> scoreOfOne = [score];
        for (var k = 1; k < _width; k++)
        {
            _sources[k].Encode(one, scoreOfOne, _candidate.AsSpan(k, 1));
            if (_descending[k])
                _candidate[k] = ~_candidate[k];
        }

        if (_after is not null && Compare(_candidate, entry, _after, _afterEntry) <= 0)
            return;
        if (_count < _capacity)
        {
            Put(_count, entry, score);
            Up(_count++);
            return;
        }

        var worst = _heap[0];
        if (Compare(_candidate, entry, _keys.AsSpan(worst * _width, _width), _entries[worst]) >= 0)
            return;
        Put(worst, entry, score);
        Down();
    }

    private void Put(int slot, int entry, float score)
    {
        (_entries[slot], _scores[slot]) = (entry, score);
        _candidate.CopyTo(_keys.AsSpan(slot * _width));
    }

    private int Compare(ReadOnlySpan<long> left, int leftEntry, ReadOnlySpan<long> right, int rightEntry)
    {
        for (var k = 0; k < _width; k++)
        {
            var order = left[k].CompareTo(right[k]);
            if (order == 0 && !_sources[k].IsExact && leftEntry != rightEntry)
            {
                order = _sources[k].Compare(leftEntry, rightEntry);
                if (_descending[k])
                    order = -order;
            }

            if (order != 0)
                return order;
        }

        return leftEntry.CompareTo(rightEntry);
    }

    private int CompareSlots(int left, int right) =>
        Compare(
            _keys.AsSpan(left * _width, _width),
            _entries[left],
            _keys.AsSpan(right * _width, _width),
            _entries[right]
        );

    private void Up(int i)
    {
        var moved = i; // the slot has the number of its place while the heap fills
        while (i > 0 && CompareSlots(_heap[(i - 1) >> 1], moved) < 0)
        {
            _heap[i] = _heap[(i - 1) >> 1];
            i = (i - 1) >> 1;
        }

        _heap[i] = moved;
    }

    private void Down()
    {
        var moved = _heap[0];
        var i = 0;
        for (int child; (child = 2 * i + 1) < _count; i = child)
        {
            if (child + 1 < _count && CompareSlots(_heap[child + 1], _heap[child]) > 0)
                child++;
            if (CompareSlots(_heap[child], moved) <= 0)
                break;
            _heap[i] = _heap[child];
        }

        _heap[i] = moved;
    }
}
