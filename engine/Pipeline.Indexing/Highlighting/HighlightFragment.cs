namespace Pipeline.Indexing.Highlighting;

/// <summary>
/// A part of a text with the marks from <see cref="First"/> up to <see cref="Last"/> (exclusive). Fragments are in the
/// order of their rank: different terms, places, order in the texts.
/// </summary>
internal sealed class HighlightFragment(HighlightedText text, int order, int first, int last, int differentTerms)
    : IComparable<HighlightFragment>
{
    public HighlightedText Text { get; } = text;

    /// <summary>The text's number among the values of the field.</summary>
    public int Order { get; } = order;

    public int First { get; } = first;

    public int Last { get; } = last;

    /// <summary>
    /// Where the fragment begins in the text; with <see cref="End"/> the extent of its marks until it is widened.
    /// </summary>
    public required int Start { get; set; }

    public required int End { get; set; }

    private int DifferentTerms { get; } = differentTerms;

    public bool Overlaps(HighlightFragment other) => Order == other.Order && Start < other.End && other.Start < End;

    public int CompareTo(HighlightFragment? other) =>
        other is null
            ? 1
            : (-DifferentTerms, First - Last, Order, First).CompareTo(
                (-other.DifferentTerms, other.First - other.Last, other.Order, other.First)
            );

    /// <summary>
    /// Extends the fragment around the marks, between two offsets and up to a length, to word boundaries on both sides.
    /// </summary>
    public void Widen(int from, int to, int length)
    {
        var (text, tokens) = (Text.Text, Text.Tokens);
        var (marksStart, marksEnd) = (Start, End);
        var free = Math.Max(0, length - (End - Start));
        Start = Math.Max(from, Start - (free / 2));
        End = Math.Max(marksEnd, Math.Min(to, Start + length));
        Start = Math.Max(from, Math.Min(Start, End - length));
        Start = Math.Min(Start, marksStart);

        if (Start > 0)
        {
            // The first token that begins in it. Characters joined to its left side come with it if there is room.
            var first = FirstFrom(Start);
            var least = first == 0 ? Start : Math.Max(Start, tokens[first - 1].End);
            Start = tokens[first].Start;
            while (Start > least && IsJoined(text[Start - 1]))
                Start--;
        }

        if (End < text.Length)
        {
            var most = End;
            var next = FirstFrom(marksEnd);
            while (next < tokens.Count && tokens[next].End <= most)
                next++;
            End = next == 0 ? marksEnd : Math.Max(marksEnd, tokens[next - 1].End);
            var stop = next < tokens.Count ? Math.Min(most, tokens[next].Start) : most;
            while (End < stop && IsJoined(text[End]))
                End++;
        }

        while (Start < marksStart && char.IsWhiteSpace(text[Start]))
            Start++;
        while (End > marksEnd && char.IsWhiteSpace(text[End - 1]))
            End--;
    }

    /// <summary>Punctuation that belongs to the neighbouring word. Half of a surrogate pair is left in place.</summary>
    private static bool IsJoined(char c) => !char.IsWhiteSpace(c) && !char.IsSurrogate(c);

    /// <summary>The number of the first token that begins at an offset or behind it.</summary>
    private int FirstFrom(int offset)
    {
        var (low, high) = (0, Text.Tokens.Count);
        while (low < high)
        {
            var middle = (low + high) / 2;
            if (Text.Tokens[middle].Start < offset)
                low = middle + 1;
            else
                high = middle;
        }

        return low;
    }
}
