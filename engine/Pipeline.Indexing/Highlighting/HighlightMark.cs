namespace Pipeline.Indexing.Highlighting;

/// <summary>A place of a text to mark, and the number of the term or phrase found there.</summary>
internal readonly record struct HighlightMark(int Start, int End, int Number) : IComparable<HighlightMark>
{
    public int CompareTo(HighlightMark other) => (Start, Number, End).CompareTo((other.Start, other.Number, other.End));

    public static bool operator <(HighlightMark left, HighlightMark right) => left.CompareTo(right) < 0;

    public static bool operator >(HighlightMark left, HighlightMark right) => left.CompareTo(right) > 0;

    public static bool operator <=(HighlightMark left, HighlightMark right) => left.CompareTo(right) <= 0;

    public static bool operator >=(HighlightMark left, HighlightMark right) => left.CompareTo(right) >= 0;
}
