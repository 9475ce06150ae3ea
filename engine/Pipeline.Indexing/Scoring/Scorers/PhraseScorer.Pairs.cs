using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace Pipeline.Indexing;

/// <content>Phrases of two terms, by whole blocks.</content>
/// <remarks>Safety of the pointers: places and positions are those of <see cref="PairBlock"/>, behind which <see cref="PairBlock.Spare"/> bytes may be read. What is kept is never more than what was looked at.</remarks>
internal sealed unsafe partial class PhraseScorer
{
    private PairBlock? _first, _second; // of the rarer list, of the other
    private int _from;

    /// <summary>Whether <see cref="FillPairs"/> can be used: two terms, no slop.</summary>
    public bool IsPair => _slop == 0 && _offsets.Length == 2 && _cursors.Length == 2 && _cursors[0].Record.HasFrequencies && _cursors[1].Record.HasFrequencies;

    /// <summary>
    /// Gets the next entries with the phrase. Blocks of both lists are met without being unpacked where they are bitmaps; positions are only read of blocks that have an entry in
    /// common. After <see cref="PassOver"/>, blocks in which no entry can score more are left out. Must not be mixed with going from entry to entry.
    /// </summary>
    /// <param name="entries">Takes the entries; room for a block at least.</param>
    /// <param name="frequencies">Takes how often each has the phrase; as much room.</param>
    /// <returns>How many; 0 at the end.</returns>
    public int FillPairs(Span<int> entries, Span<int> frequencies)
    {
        var (first, second) = (_first ??= _cursors[0].BeginPair(), _second ??= _cursors[1].BeginPair());
        var count = 0;
        Span<int> inFirst = stackalloc int[BlockCodec.Length];
        Span<int> inSecond = stackalloc int[BlockCodec.Length];
        while (entries.Length - count >= BlockCodec.Length)
        {
            if (first.Last < _from && !(PassBlocks() && first.MoveTo(_from))) return count;
            var candidate = first.NextEntry(_from);
            if (candidate > first.Last)
            {
                _from = first.Last + 1;
                continue;
            }

            if (second.Last < candidate && !second.MoveTo(candidate))
            {
                _from = End - 1;
                return count;
            }

            var (from, to) = (Math.Max(candidate, second.First), Math.Min(first.Last, second.Last));
            _from = to + 1;
            if (from > to) continue;
            var common = PairBlock.Intersect(first, second, from, to, inFirst, inSecond, entries[count..]);
            if (common > 0) count += Compare(first, second, inFirst[..common], inSecond, entries[count..], frequencies[count..]);
        }

        return count;
    }

    /// <summary>The scores of entries that <see cref="FillPairs"/> gave.</summary>
    public void ScorePairs(ReadOnlySpan<int> entries, ReadOnlySpan<int> frequencies, Span<int> lengths, Span<float> scores)
    {
        _lengths.CopyTo(entries, lengths);
        _weight.Score(frequencies, lengths, scores);
    }

    // Goes on to a block in which an entry may score enough; false where there is none.
    private bool PassBlocks()
    {
        while (_notMoreThan >= 0)
        {
            var end = _cursors[0].BlockEnd(_from);
            if (end == End) return false;
            if (_cursors[0].BlockMaxScore(_weight) > _notMoreThan) return true;
            _from = end + 1;
        }

        return true;
    }

    // Keeps, of the entries that both have, those with the phrase.
    private int Compare(PairBlock first, PairBlock second, ReadOnlySpan<int> inFirst, ReadOnlySpan<int> inSecond, Span<int> entries, Span<int> frequencies)
    {
        var distance = _offsets[1] - _offsets[0];
        if (_cursorOf[0] != 0) distance = -distance;
        if (!first.TryRead() || !second.TryRead()) return CompareWide(first, second, distance, inFirst, inSecond, entries, frequencies);
        var firstEnds = first.Ends;
        var secondEnds = second.Ends;
        var (kept, common) = (0, inFirst.Length);
        inSecond = inSecond[..common];
        entries = entries[..common];
        frequencies = frequencies[..common];
        ref var found = ref MemoryMarshal.GetReference(entries);
        ref var counts = ref MemoryMarshal.GetReference(frequencies);
        for (var k = 0; k < common; k++)
        {
            var (i, j) = (inFirst[k], inSecond[k]);
            var (a, b) = (firstEnds[i], secondEnds[j]);
            var (countA, countB) = (firstEnds[i + 1] - a, secondEnds[j + 1] - b);
            // The fewer positions are looked for among the others. Which are fewer is taken by bits: there is no telling it ahead.
            var turn = (countB - countA) >> 31;
            var (fewer, more) = (countA ^ ((countA ^ countB) & turn), countB ^ ((countA ^ countB) & turn));
            var (own, other) = ((nint)(first.Positions + a), (nint)(second.Positions + b));
            var swap = (own ^ other) & turn;
            var frequency = Count((byte*)(own ^ swap), fewer, (byte*)(other ^ swap), more, (distance ^ turn) - turn);
            Unsafe.Add(ref found, kept) = Unsafe.Add(ref found, k);
            Unsafe.Add(ref counts, kept) = frequency;
            kept += frequency > 0 ? 1 : 0;
        }

        return kept;
    }

    // How many of the positions, moved by a distance, are among the others.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Count(byte* positions, int count, byte* others, int otherCount, int distance)
    {
        if (otherCount > PairBlock.Spare) return CountMany(new(positions, count), new(others, otherCount), distance);
        var among = Vector256.Load(others);
        var those = (uint)((1UL << otherCount) - 1);
        var found = 0;
        for (var i = 0; i < count; i++)
        {
            var sought = positions[i] + distance;
            var equal = Vector256.Equals(among, Vector256.Create((byte)sought)).ExtractMostSignificantBits() & those;
            found += equal != 0 & (sought & ~byte.MaxValue) == 0 ? 1 : 0;
        }

        return found;
    }

    private static int CountMany(ReadOnlySpan<byte> positions, ReadOnlySpan<byte> others, int distance)
    {
        var found = 0;
        foreach (var position in positions)
            if (position + distance is >= 0 and <= byte.MaxValue and var sought && others.Contains((byte)sought)) found++;
        return found;
    }

    private static int CompareWide(PairBlock first, PairBlock second, int distance, ReadOnlySpan<int> inFirst, ReadOnlySpan<int> inSecond, Span<int> entries, Span<int> frequencies)
    {
        var firstPositions = first.ReadWide(out var firstEnds);
        var secondPositions = second.ReadWide(out var secondEnds);
        var kept = 0;
        for (var k = 0; k < inFirst.Length; k++)
        {
            var (i, j) = (inFirst[k], inSecond[k]);
            var frequency = PhraseMatching.CountPairs(firstPositions[firstEnds[i]..firstEnds[i + 1]], secondPositions[secondEnds[j]..secondEnds[j + 1]], distance);
            (entries[kept], frequencies[kept]) = (entries[k], frequency);
            kept += frequency > 0 ? 1 : 0;
        }

        return kept;
    }
}
