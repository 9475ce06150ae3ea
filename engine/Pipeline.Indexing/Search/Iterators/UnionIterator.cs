using System.Numerics;

namespace Pipeline.Indexing;

/// <summary>
/// Entries that at least a given number of several iterators have. It works in windows of entry numbers: each iterator
/// sets bits (or counts) for its entries in the window. Iterators are therefore never compared with each other, and
/// only the requested windows are read.
/// </summary>
internal sealed class UnionIterator : EntryIterator
{
    private const int Window = 4096;

    private readonly EntryIterator[] _iterators;
    private readonly int _least;
    private readonly ulong[] _bits = new ulong[Window / 64];
    private readonly byte[]? _counts;
    private int _base = -Window;

    /// <summary>Puts iterators together.</summary>
    /// <param name="iterators">The iterators, on no entry yet; at most 255 where more than one must agree.</param>
    /// <param name="least">How many must have an entry.</param>
    public UnionIterator(EntryIterator[] iterators, int least = 1)
    {
        (_iterators, _least) = (iterators, least);
        if (least > 1)
            _counts = new byte[Window];
        Cost = 0;
        foreach (var iterator in iterators)
            Cost += iterator.Cost;
        Cost /= least;
    }

    public override long Cost { get; }

    public override int Next() => Current == End ? End : From(Current + 1);

    public override int SkipTo(int target) => target <= Current ? Current : From(target);

    public override int Fill(Span<int> entries)
    {
        if (Current < 0)
            Next();
        var count = 0;
        while (Current != End && count < entries.Length)
        {
            var at = (Current - _base) >> 6;
            var word = _bits[at] & (ulong.MaxValue << Current);
            while (true)
            {
                for (; word != 0 && count < entries.Length; word &= word - 1)
                    entries[count++] = _base + (at << 6) + BitOperations.TrailingZeroCount(word);
                if (word != 0)
                {
                    Current = _base + (at << 6) + BitOperations.TrailingZeroCount(word);
                    return count;
                }

                if (++at == _bits.Length)
                    break;
                word = _bits[at];
            }

            From(_base + Window);
        }

        return count;
    }

    private int From(int target)
    {
        while (true)
        {
            if (target < _base + Window)
            {
                var at = (target - _base) >> 6;
                var word = _bits[at] & (ulong.MaxValue << target);
                while (word == 0 && ++at < _bits.Length)
                    word = _bits[at];
                if (word != 0)
                    return Current = _base + (at << 6) + BitOperations.TrailingZeroCount(word);
                target = _base + Window;
            }

            if (!Load(target))
                return Current = End;
            target = Math.Max(target, _base);
        }
    }

    // The window begins at the least entry that is left, so that empty stretches cost nothing.
    private bool Load(int target)
    {
        var least = End;
        foreach (var iterator in _iterators)
            least = Math.Min(least, iterator.SkipTo(target));
        if (least == End)
            return false;
        _base = least & ~63;
        Array.Clear(_bits);
        var end = _base > End - Window ? End : _base + Window;
        if (_counts is null)
            LoadBits(end);
        else
            LoadCounts(_counts, end);
        return true;
    }

    private void LoadBits(int end)
    {
        foreach (var iterator in _iterators)
        {
            for (var entry = iterator.Current; entry < end; entry = iterator.Next())
                _bits[(entry - _base) >> 6] |= 1UL << entry;
        }
    }

    private void LoadCounts(byte[] counts, int end)
    {
        Array.Clear(counts);
        foreach (var iterator in _iterators)
        {
            for (var entry = iterator.Current; entry < end; entry = iterator.Next())
            {
                if (++counts[entry - _base] == _least)
                    _bits[(entry - _base) >> 6] |= 1UL << entry;
            }
        }
    }
}
