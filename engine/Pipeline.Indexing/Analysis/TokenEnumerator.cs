using System.Runtime.CompilerServices;

namespace Pipeline.Indexing.Analysis;

/// <summary>The tokens of one text, in order; made by <see cref="Analyzer.Tokens"/>. For use in foreach.</summary>
public ref struct TokenEnumerator
{
    private readonly ReadOnlySpan<byte> _text;
    private readonly Analyzer _analyzer;
    private readonly TokenBuffer _buffer;
    private int _offset;
    private int _current;

    internal TokenEnumerator(Analyzer analyzer, ReadOnlySpan<byte> text, TokenBuffer buffer)
    {
        _analyzer = analyzer;
        _text = text;
        _buffer = buffer;
        buffer.Clear();
        buffer.SkippedPositions = 0;
        _current = -1;
    }

    /// <summary>
    /// The token that the last <see cref="MoveNext"/> came to; not to be asked before it, or after it has said false.
    /// </summary>
    public readonly Token Current
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            ref var entry = ref _buffer.EntryArray[_current];
            return new Token(
                new ReadOnlySpan<byte>(_buffer.Terms, entry.TermOffset, entry.TermLength),
                entry.PositionIncrement,
                entry.Start,
                entry.End
            );
        }
    }

    /// <summary>
    /// After the last token: how many positions of left-out tokens come behind it. What follows in the same field
    /// stands that much farther away.
    /// </summary>
    public readonly int SkippedAtEnd => _buffer.SkippedPositions;

    /// <summary>Goes to the next token; false at the end of the text.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool MoveNext() => ++_current < _buffer.Count || NextBatch();

    /// <summary>Itself, for foreach.</summary>
    public readonly TokenEnumerator GetEnumerator() => this;

    private bool NextBatch()
    {
        _current = 0;
        do
        {
            _buffer.Clear();
            if (_offset < 0)
                return false;
            _offset = _analyzer.Analyze(_text, _offset, _buffer);
        } while (_buffer.Count == 0);
        return true;
    }
}
