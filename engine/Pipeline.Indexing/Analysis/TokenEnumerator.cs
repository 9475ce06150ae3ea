using System.Runtime.CompilerServices;

namespace Pipeline.Indexing.Analysis;

/// <summary>The tokens of one text, in order; made by <see cref="Analyzer.Tokens"/>. For use in foreach.</summary>
public ref struct TokenEnumerator
{
    private readonly ReadOnlySpan<byte> text;
    private readonly Analyzer analyzer;
    private readonly TokenBuffer buffer;
    private int offset;
    private int current;

    internal TokenEnumerator(Analyzer analyzer, ReadOnlySpan<byte> text, TokenBuffer buffer)
    {
        this.analyzer = analyzer;
        this.text = text;
        this.buffer = buffer;
        buffer.Clear();
        buffer.SkippedPositions = 0;
        current = -1;
    }

    /// <summary>The token that the last <see cref="MoveNext"/> came to; not to be asked before it, or after it has said false.</summary>
    public readonly Token Current
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            ref var entry = ref buffer.EntryArray[current];
            return new Token(new ReadOnlySpan<byte>(buffer.Terms, entry.TermOffset, entry.TermLength), entry.PositionIncrement, entry.Start, entry.End);
        }
    }

    /// <summary>
    /// After the last token: how many positions of left-out tokens come behind it. What follows in the same field stands that much farther away.
    /// </summary>
    public readonly int SkippedAtEnd => buffer.SkippedPositions;

    /// <summary>Goes to the next token; false at the end of the text.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool MoveNext() => ++current < buffer.Count || NextBatch();

    /// <summary>Itself, for foreach.</summary>
    public readonly TokenEnumerator GetEnumerator() => this;

    private bool NextBatch()
    {
        current = 0;
        do
        {
            buffer.Clear();
            if (offset < 0) return false;
            offset = analyzer.Analyze(text, offset, buffer);
        }
        while (buffer.Count == 0);
        return true;
    }
}
