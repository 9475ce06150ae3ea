using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace Pipeline.Indexing;

/// <content>Phrases of two terms, by whole blocks.</content>
/// <remarks>
/// Safety of the pointers: places and positions are those of <see cref="PairBlock"/>, and <see cref="PairBlock.Spare"/>
/// bytes behind them may be read. No more entries are kept than were examined.
/// </remarks>
internal sealed unsafe partial class PhraseScorer
{
    private PairBlock? _first,
        _second; // of the rarer list, of the other
    private int _from;

    /// <summary>Whether <see cref="FillPairs"/> can be used: two terms, no slop.</summary>
    public bool IsPair =>
        _slop == 0
        && _offsets.Length == 2
        && _cursors.Length == 2
        && _cursors[0].Record.HasFrequencies
        && _cursors[1].Record.HasFrequencies;

    /// <summary>
    /// Gets the next entries with the phrase. Blocks of both lists are met without being unpacked where they are
    /// bitmaps; positions are only read of blocks that have an entry in common. After <see cref="PassOver"/>, blocks in
    /// which no entry can score more are left out. Must not be mixed with going from entry to entry.
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
            if (first.Last < _from && !(PassBlocks() && first.MoveTo(_from)))
                return count;
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
            if (from > to)
                continue;
            var common = PairBlock.Intersect(first, second, from, to, inFirst, inSecond, entries[count..]);
            if (common > 0)
                count += Compare(first, second, inFirst[..common], inSecond, entries[count..], frequencies[count..]);
        }

        return count;
    }

    /// <summary>The scores of entries that <see cref="FillPairs"/> gave.</summary>
    public void ScorePairs(
        ReadOnlySpan<int> entries,
        ReadOnlySpan<int> frequencies,
        Span<int> lengths,
        Span<float> scores
    )
    {
        _lengths.CopyTo(entries, lengths);
        _weight.Score(frequencies, lengths, scores);
    }

    // Moves to a block in which an entry may score enough; false if there is none.
    private bool PassBlocks()
    {
        while (_notMoreThan >= 0)
        {
            var end = _cursors[0].BlockEnd(_from);
            if (end == End)
                return false;
            if (_cursors[0].BlockMaxScore(_weight) > _notMoreThan)
                return true;
            _from = end + 1;
        }

        return true;
    }

    // Keeps, of the entries that both have, those with the phrase.
    private int Compare(
        PairBlock first,
        PairBlock second,
        ReadOnlySpan<int> inFirst,
        ReadOnlySpan<int> inSecond,
        Span<int> entries,
        Span<int> frequencies
    )
    {
        var distance = _offsets[1] - _offsets[0];
        if (_cursorOf[0] != 0)
            distance = -distance;
        inSecond = inSecond[..inFirst.Length];
        if (!first.TryRead() || !second.TryRead())
            return CompareWide(first, second, distance, inFirst, inSecond, entries, frequencies);
        if (Math.Abs(distance) > byte.MaxValue)
            return 0;
        return first.PositionCount <= second.PositionCount
            ? CompareBytes(first, second, distance, inFirst, inSecond, entries, frequencies)
            : CompareBytes(second, first, -distance, inSecond, inFirst, entries, frequencies);
    }

    // Searches the positions of the block with fewer, moved by a distance, among the other block's: four among eight at
    // once. Mostly that covers all of them, whatever their counts.
    private static int CompareBytes(
        PairBlock fewer,
        PairBlock more,
        int distance,
        ReadOnlySpan<int> inFewer,
        ReadOnlySpan<int> inMore,
        Span<int> entries,
        Span<int> frequencies
    )
    {
        var (kept, common) = (0, inFewer.Length);
        inMore = inMore[..common];
        entries = entries[..common];
        frequencies = frequencies[..common];
        ref var found = ref MemoryMarshal.GetReference(entries);
        ref var counts = ref MemoryMarshal.GetReference(frequencies);
        int* ends = fewer.Ends,
            otherEnds = more.Ends;
        byte* positions = fewer.Positions,
            others = more.Positions;
        // A moved position that overflows its byte wraps to the other end: below the distance or, for a negative one,
        // within it of the top.
        var (move, least) = (Vector256.Create((byte)distance), Vector256.Create((byte)Math.Abs(distance)));
        var turn = distance < 0 ? Vector256<byte>.AllBitsSet : default;
        for (var k = 0; k < common; k++)
        {
            var (i, j) = (inFewer[k], inMore[k]);
            byte* own = positions + ends[i],
                other = others + otherEnds[j];
            var (count, otherCount) = (ends[i + 1] - ends[i], otherEnds[j + 1] - otherEnds[j]);
            var frequency = Count(own, count, other, otherCount, move, least, turn);
            if (count > 4 || otherCount > 8)
                frequency += CountMore(own, count, other, otherCount, move, least, turn);
            Unsafe.Add(ref found, kept) = Unsafe.Add(ref found, k);
            Unsafe.Add(ref counts, kept) = frequency;
            kept += frequency > 0 ? 1 : 0;
        }

        return kept;
    }

    // How many of the first four positions, moved, are among the first eight of the others. Bytes behind the counts are
    // compared, too, and left out.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Count(
        byte* positions,
        int count,
        byte* others,
        int otherCount,
        Vector256<byte> move,
        Vector256<byte> least,
        Vector256<byte> turn
    )
    {
        var eachEightTimes = Vector256.Create(
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            1,
            1,
            1,
            1,
            1,
            1,
            1,
            1,
            18,
            18,
            18,
            18,
            18,
            18,
            18,
            18,
            19,
            19,
            19,
            19,
            19,
            19,
            19,
            (byte)19
        );
        var sought =
            Vector256.Shuffle(Vector256.Create(Unsafe.ReadUnaligned<uint>(positions)).AsByte(), eachEightTimes) + move;
        var among = Vector256.Create(Unsafe.ReadUnaligned<ulong>(others)).AsByte();
        var equal = Vector256.Equals(sought, among) & Vector256.GreaterThanOrEqual(sought ^ turn, least);
        var those =
            ((uint)byte.MaxValue >> (8 - Math.Min(otherCount, 8))) * 0x01010101u
            & (uint)((1UL << (8 * Math.Min(count, 4))) - 1);
        return BitOperations.PopCount(equal.ExtractMostSignificantBits() & those);
    }

    // The positions that Count has not compared.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int CountMore(
        byte* positions,
        int count,
        byte* others,
        int otherCount,
        Vector256<byte> move,
        Vector256<byte> least,
        Vector256<byte> turn
    )
    {
        var found = 0;
        for (var i = 0; i < count; i += 4)
        {
            for (var j = i == 0 ? 8 : 0; j < otherCount; j += 8)
                found += Count(positions + i, count - i, others + j, otherCount - j, move, least, turn);
        }

        return found;
    }

    private static int CompareWide(
        PairBlock first,
        PairBlock second,
        int distance,
        ReadOnlySpan<int> inFirst,
        ReadOnlySpan<int> inSecond,
        Span<int> entries,
        Span<int> frequencies
    )
    {
        var firstPositions = first.ReadWide(out var firstEnds);
        var secondPositions = second.ReadWide(out var secondEnds);
        var kept = 0;
        for (var k = 0; k < inFirst.Length; k++)
        {
            var (i, j) = (inFirst[k], inSecond[k]);
            var frequency = PhraseMatching.CountPairs(
                firstPositions[firstEnds[i]..firstEnds[i + 1]],
                secondPositions[secondEnds[j]..secondEnds[j + 1]],
                distance
            );
            (entries[kept], frequencies[kept]) = (entries[k], frequency);
            kept += frequency > 0 ? 1 : 0;
        }

        return kept;
    }
}
