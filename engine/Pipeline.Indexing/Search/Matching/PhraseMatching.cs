namespace Pipeline.Indexing;

/// <summary>
/// How often terms stand at given distances in one entry. Spans are of rising positions; offsets are the terms' places
/// in the phrase.
/// </summary>
internal static class PhraseMatching
{
    /// <summary>The number of places where the second list has what the first has, moved by a distance.</summary>
    public static int CountPairs(ReadOnlySpan<int> first, ReadOnlySpan<int> second, int distance)
    {
        if (first.Length == 1 && second.Length == 1)
            return second[0] - first[0] == distance ? 1 : 0;
        var (count, j) = (0, 0);
        foreach (var position in first)
        {
            var sought = position + distance;
            while (j < second.Length && second[j] < sought)
                j++;
            if (j == second.Length)
                break;
            if (second[j] == sought)
                count++;
        }

        return count;
    }

    /// <summary>
    /// Keeps of the places where a phrase may begin those where a term stands at its offset; returns how many.
    /// </summary>
    public static int Keep(Span<int> begins, ReadOnlySpan<int> positions, int offset)
    {
        var (kept, j) = (0, 0);
        foreach (var begin in begins)
        {
            while (j < positions.Length && positions[j] < begin + offset)
                j++;
            if (j == positions.Length)
                break;
            if (positions[j] == begin + offset)
                begins[kept++] = begin;
        }

        return kept;
    }

    /// <summary>
    /// The weight of all places where the terms form the phrase after at most a number of moves in all: each place
    /// counts 1 / (1 + moves). The moves are the distance between the term farthest behind its place and the one
    /// farthest ahead of it. A place is left out if it contains a tighter one. Terms that occur twice in the phrase
    /// stand at different positions.
    /// </summary>
    /// <param name="positions">Of each term of the phrase.</param>
    /// <param name="counts">How many positions each has.</param>
    /// <param name="offsets">Its place in the phrase.</param>
    /// <param name="sameAs">
    /// The index of the last term before it with the same bytes, which has a lower offset; -1 if there is none.
    /// </param>
    /// <param name="slop">How many moves are allowed.</param>
    /// <param name="next">Room for a number for each term.</param>
    public static float Sloppy(
        ReadOnlySpan<int[]> positions,
        ReadOnlySpan<int> counts,
        ReadOnlySpan<int> offsets,
        ReadOnlySpan<int> sameAs,
        int slop,
        Span<int> next
    )
    {
        var weight = 0f;
        next.Clear();
        var (begin, end) = (int.MinValue, int.MinValue); // the tightest place found that has not been counted
        for (var least = FirstBegin(positions, counts, offsets); ; )
        {
            // Each term at the first position that is not before the least one.
            var most = int.MinValue;
            for (var t = 0; t < offsets.Length; t++)
            {
                var at = next[t];
                while (at < counts[t] && positions[t][at] - offsets[t] < least)
                    at++;
                next[t] = at;
                if (sameAs[t] is var same and >= 0)
                {
                    while (at < counts[t] && positions[t][at] <= positions[same][next[same]])
                        at++;
                }

                if (at == counts[t])
                    return begin == int.MinValue ? weight : weight + 1f / (1 + end - begin);
                next[t] = at;
                most = Math.Max(most, positions[t][at] - offsets[t]);
            }

            if (begin != int.MinValue && most > end)
                weight += 1f / (1 + end - begin);
            (begin, end) = most - least <= slop ? (least, most) : (int.MinValue, int.MinValue);

            var following = int.MaxValue;
            for (var t = 0; t < offsets.Length; t++)
            {
                var at = next[t];
                while (at < counts[t] && positions[t][at] - offsets[t] <= least)
                    at++;
                if (at < counts[t])
                    following = Math.Min(following, positions[t][at] - offsets[t]);
            }

            if (following == int.MaxValue)
                return begin == int.MinValue ? weight : weight + 1f / (1 + end - begin);
            least = following;
        }
    }

    private static int FirstBegin(ReadOnlySpan<int[]> positions, ReadOnlySpan<int> counts, ReadOnlySpan<int> offsets)
    {
        var first = int.MaxValue;
        for (var t = 0; t < offsets.Length; t++)
        {
            if (counts[t] > 0)
                first = Math.Min(first, positions[t][0] - offsets[t]);
        }

        return first;
    }
}
