using System.Runtime.InteropServices;
using Pipeline.Storage;

namespace Pipeline.Indexing;

/// <summary>
/// Takes numbers of deleted entries out of a field's numeric index and puts those of new ones in, each chunk that
/// changes once.
/// </summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed unsafe class NumericWriter(PutLog log, Tree? stored, int field, byte kind)
{
    private const int MaxChunk = 1990;
    private readonly byte[] _key = new byte[NumericChunk.KeySize];
    private readonly byte[] _oldKey = new byte[NumericChunk.KeySize];
    private readonly List<NumericItem> _items = [];

    /// <summary>Changes the index. Both lists must be in order; all removed items must exist.</summary>
    public void Apply(ReadOnlySpan<NumericItem> removed, ReadOnlySpan<NumericItem> added)
    {
        using var cursor = stored?.OpenCursor();
        while (!removed.IsEmpty || !added.IsEmpty)
        {
            var next =
                removed.IsEmpty || (!added.IsEmpty && added[0].CompareTo(removed[0]) < 0) ? added[0] : removed[0];
            _items.Clear();
            var hasOld = cursor is not null && Load(cursor, next);
            var isLast = !hasOld || !cursor!.MoveNext() || !IsOwn(cursor.Key);
            var removedHere = isLast ? removed.Length : CountBelow(removed, NumericChunk.ReadKey(cursor!.Key));
            var addedHere = isLast ? added.Length : CountBelow(added, NumericChunk.ReadKey(cursor!.Key));
            var isAppend = isLast && removedHere == 0 && (_items.Count == 0 || added[0].CompareTo(_items[^1]) > 0);
            Merge(removed[..removedHere], added[..addedHere]);
            if (hasOld && (_items.Count == 0 || _items[0] != NumericChunk.ReadKey(_oldKey)))
                log.Delete(_oldKey);
            Write(isAppend);
            removed = removed[removedHere..];
            added = added[addedHere..];
        }
    }

    /// <summary>
    /// Loads the chunk that the item is or would be in; the cursor is on it then. False where the field has none.
    /// </summary>
    private bool Load(TreeCursor cursor, in NumericItem item)
    {
        // The chunk is the last one that does not begin behind the item.
        NumericChunk.WriteKey(_key, field, kind, item with { Entry = item.Entry + 1 });
        if (!cursor.SeekBefore(_key) || !IsOwn(cursor.Key))
        {
            NumericChunk.WriteKey(_key, field, kind, new NumericItem(NumericKey.Min, 0));
            if (!cursor.Seek(_key) || !IsOwn(cursor.Key))
                return false;
        }

        cursor.Key.CopyTo(_oldKey);
        var value = cursor.Value;
        fixed (byte* at = value)
        {
            if (!NumericChunk.TryOpen(at, value.Length, out var chunk))
                throw IndexTrees.Corrupt(IndexTrees.Numbers, _oldKey, "a chunk of numbers is not whole");
            for (var i = 0; i < chunk.Count; i++)
                _items.Add(chunk[i]);
        }

        return true;
    }

    private void Merge(ReadOnlySpan<NumericItem> removed, ReadOnlySpan<NumericItem> added)
    {
        if (!removed.IsEmpty)
        {
            var kept = 0;
            for (var i = 0; i < _items.Count; i++)
            {
                if (!removed.IsEmpty && _items[i] == removed[0])
                    removed = removed[1..];
                else
                    _items[kept++] = _items[i];
            }

            if (!removed.IsEmpty)
            {
                throw IndexTrees.Corrupt(
                    IndexTrees.Numbers,
                    _oldKey,
                    $"the number of entry {removed[0].Entry} is missing"
                );
            }

            _items.RemoveRange(kept, _items.Count - kept);
        }

        var isSorted = _items.Count == 0 || added.IsEmpty || _items[^1].CompareTo(added[0]) < 0;
        _items.AddRange(added);
        if (!isSorted)
            _items.Sort();
    }

    private void Write(bool isAppend)
    {
        var items = CollectionsMarshal.AsSpan(_items);
        if (items.IsEmpty)
            return;
        if (isAppend || items.Length > 4 * MaxChunk)
        {
            while (!items.IsEmpty)
            {
                var count = Fitting(items);
                WriteChunk(items[..count]);
                items = items[count..];
            }

            return;
        }

        // Parts of equal size leave room for items added between theirs later.
        var (width, _, hasLow) = NumericChunk.Measure(items);
        var most = (MaxChunk - NumericChunk.HeaderSize) / (width + (hasLow ? sizeof(ushort) : 0) + sizeof(int));
        var parts = (items.Length + most - 1) / most;
        for (var part = parts; part > 0; part--)
        {
            var count = (items.Length + part - 1) / part;
            WriteChunk(items[..count]);
            items = items[count..];
        }
    }

    /// <summary>How many items fill a chunk.</summary>
    private static int Fitting(ReadOnlySpan<NumericItem> items)
    {
        var count = Math.Min(items.Length, MaxChunk / sizeof(int));
        while (true)
        {
            var (width, _, hasLow) = NumericChunk.Measure(items[..count]);
            var most = (MaxChunk - NumericChunk.HeaderSize) / (width + (hasLow ? sizeof(ushort) : 0) + sizeof(int));
            if (count <= most)
                return count;
            count = most;
        }
    }

    private void WriteChunk(ReadOnlySpan<NumericItem> items)
    {
        var (width, shift, hasLow) = NumericChunk.Measure(items);
        NumericChunk.WriteKey(_key, field, kind, items[0]);
        NumericChunk.Write(
            items,
            width,
            shift,
            hasLow,
            log.Reserve(_key, NumericChunk.SizeOf(items.Length, width, hasLow))
        );
    }

    private bool IsOwn(ReadOnlySpan<byte> key)
    {
        NumericChunk.WriteKey(_key, field, kind, default);
        return key[..3].SequenceEqual(_key.AsSpan(0, 3));
    }

    private static int CountBelow(ReadOnlySpan<NumericItem> items, in NumericItem bound)
    {
        var low = 0;
        var high = items.Length;
        while (low < high)
        {
            var middle = (low + high) >>> 1;
            if (items[middle].CompareTo(bound) < 0)
                low = middle + 1;
            else
                high = middle;
        }

        return low;
    }
}
