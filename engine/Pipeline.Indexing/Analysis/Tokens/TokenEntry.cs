namespace Pipeline.Indexing.Analysis;

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
