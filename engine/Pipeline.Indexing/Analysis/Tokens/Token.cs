namespace Pipeline.Indexing.Analysis;

/// <summary>
/// One token of a text. Its term lies in the <see cref="TokenBuffer"/> and is valid until the enumerator moves on.
/// </summary>
public readonly ref struct Token
{
    internal Token(ReadOnlySpan<byte> term, int positionIncrement, int start, int end)
    {
        Term = term;
        PositionIncrement = positionIncrement;
        Start = start;
        End = end;
    }

    /// <summary>What is indexed: valid UTF-8, changed by the analyzer's filters (lower-cased, stemmed ...).</summary>
    public ReadOnlySpan<byte> Term { get; }

    /// <summary>
    /// How many positions it stands after the token before it: 1 for neighbours, more after left-out stop words, 0 for
    /// tokens on one position. The first token counts from position -1.
    /// </summary>
    public int PositionIncrement { get; }

    /// <summary>The offset in the text, in bytes, of the first byte that it was made of.</summary>
    public int Start { get; }

    /// <summary>The offset in the text, in bytes, behind the last byte that it was made of.</summary>
    public int End { get; }
}

/// <summary>
/// A token in a <see cref="TokenBuffer"/>: where its term lies there, its position, and its place in the text.
/// </summary>
internal struct TokenEntry
{
    public int TermOffset;
    public int TermLength;
    public int PositionIncrement;
    public int Start;
    public int End;
}
