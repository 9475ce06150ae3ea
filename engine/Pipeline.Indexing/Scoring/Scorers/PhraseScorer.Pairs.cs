namespace Pipeline.Indexing;

/// <content>Phrases of two terms, by whole blocks.</content>
internal sealed partial class PhraseScorer
{
    private const int MostUneven = 16;

    /// <summary>Whether <see cref="FillPairs"/> can be used, and is the quicker way: two terms, no slop, lists of lengths not too unlike.</summary>
    public bool IsPair => _slop == 0 && _offsets.Length == 2 && _cursors.Length == 2 && _cursors[1].Cost <= _cursors[0].Cost * MostUneven;

    /// <summary>
    /// Gives the next entries with the phrase: those that are in a block of one list and a block of the other, whose positions are unpacked as a whole. Must not be mixed with
    /// going from entry to entry.
    /// </summary>
    /// <param name="entries">Takes the entries; room for a block.</param>
    /// <param name="frequencies">Takes how often each has the phrase; room for a block.</param>
    /// <returns>How many; 0 at the end.</returns>
    public int FillPairs(Span<int> entries, Span<int> frequencies)
    {
        var (first, second, distance) = (_cursors[_cursorOf[0]], _cursors[_cursorOf[1]], _offsets[1] - _offsets[0]);
        if (first.Current < 0) first.Next();
        if (second.Current < 0) second.Next();
        while (first.Current != End && second.Current != End)
        {
            if (first.BlockEntries[^1] < second.Current) first.SkipTo(second.Current);
            else if (second.BlockEntries[^1] < first.Current) second.SkipTo(first.Current);
            else if (FillBlock(first, second, distance, entries, frequencies) is var count and > 0) return count;
        }

        return 0;
    }

    /// <summary>The scores of entries that <see cref="FillPairs"/> gave.</summary>
    public void ScorePairs(ReadOnlySpan<int> entries, ReadOnlySpan<int> frequencies, Span<int> lengths, Span<float> scores)
    {
        _lengths.CopyTo(entries, lengths);
        _weight.Score(frequencies, lengths, scores);
    }

    // Goes behind what the blocks have in common.
    private static int FillBlock(PostingCursor first, PostingCursor second, int distance, Span<int> entries, Span<int> frequencies)
    {
        var firstPositions = first.UnpackBlock(out var firstOffsets);
        var secondPositions = second.UnpackBlock(out var secondOffsets);
        var firstEntries = first.BlockEntries;
        var secondEntries = second.BlockEntries;
        var (i, j, count) = (first.BlockIndex, second.BlockIndex, 0);
        while (i < firstEntries.Length && j < secondEntries.Length)
        {
            var (x, y) = (firstEntries[i], secondEntries[j]);
            if (x != y)
            {
                i += x < y ? 1 : 0;
                j += y < x ? 1 : 0;
                continue;
            }

            var (from, to, with, until) = (firstOffsets[i], firstOffsets[i + 1], secondOffsets[j], secondOffsets[j + 1]);
            var frequency = to - from == 1 && until - with == 1
                ? secondPositions[with] - firstPositions[from] == distance ? 1 : 0
                : PhraseMatching.CountPairs(firstPositions[from..to], secondPositions[with..until], distance);
            (entries[count], frequencies[count]) = (x, frequency);
            count += frequency > 0 ? 1 : 0;
            i++;
            j++;
        }

        first.MoveTo(i);
        second.MoveTo(j);
        return count;
    }
}
