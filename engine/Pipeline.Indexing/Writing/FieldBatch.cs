using Pipeline.Indexing.Analysis;

namespace Pipeline.Indexing;

/// <summary>What a batch has of one field: terms with their occurrences, lengths of texts, numbers and points.</summary>
internal sealed unsafe class FieldBatch : IDisposable
{
    /// <summary>Positions that are left free between two texts of one entry, so that no phrase is found across them.</summary>
    public const int PositionGap = 32;

    private int _lastEntry = -1;
    private int _exists = -1;
    private int _null = -1;
    private int _position = -1;
    private int _length;
    private bool _hasText;

    public FieldBatch(IndexField field, NativeArena arena)
    {
        Field = field;
        Terms = new TermTable(arena);
    }

    public IndexField Field { get; }

    public TermTable Terms { get; }

    /// <summary>The entry of whose end the field is told; −1 for none.</summary>
    public int OpenEntry { get; set; } = -1;

    /// <summary>Numbers and points, by entry.</summary>
    public NativeList<BatchValue> Values { get; } = new();

    /// <summary>The terms of values that are one term, by entry.</summary>
    public NativeList<BatchPair> TermValues { get; } = new();

    /// <summary>Tokens of searched texts, by entry.</summary>
    public NativeList<BatchPair> Lengths { get; } = new();

    /// <summary>Whether the entry that was begun has a text to which tokens can be added.</summary>
    public bool IsTextBegun => _hasText;

    public long Bytes => Terms.Bytes + Values.Bytes + TermValues.Bytes + Lengths.Bytes;

    /// <summary>Begins a text: its tokens stand behind those of the texts before in the same entry.</summary>
    public void BeginText(int entry)
    {
        Touch(entry);
        if (_hasText)
            _position = checked(_position + PositionGap);
        _hasText = true;
    }

    /// <summary>Adds a text, as the field's analyzer takes it apart.</summary>
    public void AddText(int entry, ReadOnlySpan<byte> utf8, TokenBuffer buffer, Span<byte> cut)
    {
        BeginText(entry);
        var tokens = (Field.Options.Analyzer ?? Analyzers.Standard).Tokens(utf8, buffer);
        while (tokens.MoveNext())
        {
            var token = tokens.Current;
            var term = token.Term;
            if (term.Length > IndexTerm.MaxLength)
                term = IndexTerm.Normalize(term, cut);
            fixed (byte* bytes = term)
                AddToken(bytes, term.Length, token.PositionIncrement);
        }

        _position = checked(_position + tokens.SkippedAtEnd);
    }

    /// <summary>Adds a token of the text that was begun. The term must be valid and not too long.</summary>
    public void AddToken(byte* term, int length, int positionIncrement)
    {
        _position = checked(_position + positionIncrement);
        _length++;
        Terms.AddOccurrence(Terms.GetOrAdd(term, length), _lastEntry, _position, Field.Options.Positions);
    }

    /// <summary>Adds a value that is one term. It must be valid and not too long. In a searched field it is a text of one token.</summary>
    public void AddTerm(int entry, ReadOnlySpan<byte> term)
    {
        if (Field.Options.Indexing == FieldIndexing.Search)
        {
            BeginText(entry);
            fixed (byte* bytes = term)
                AddToken(bytes, term.Length, 1);
            return;
        }

        Touch(entry);
        var index = IndexOf(term);
        if (Terms.AddEntry(index, entry))
            TermValues.Add(new BatchPair(entry, index));
    }

    public void AddNull(int entry)
    {
        Touch(entry);
        if (_null < 0)
            _null = IndexOf(IndexTerm.Null);
        Terms.AddEntry(_null, entry);
    }

    public void AddValue(int entry, ColumnKind kind, long bits)
    {
        Touch(entry);
        Values.Add(new BatchValue(bits, entry, kind));
    }

    /// <summary>Ends the entry that had values of the field.</summary>
    public void EndEntry()
    {
        if (_hasText)
            Lengths.Add(new BatchPair(_lastEntry, _length));
        _hasText = false;
        _length = 0;
        _position = -1;
    }

    public void Dispose()
    {
        Terms.Dispose();
        Values.Dispose();
        TermValues.Dispose();
        Lengths.Dispose();
    }

    private int IndexOf(ReadOnlySpan<byte> term)
    {
        fixed (byte* bytes = term)
            return Terms.GetOrAdd(bytes, term.Length);
    }

    private void Touch(int entry)
    {
        if (_lastEntry == entry)
            return;
        _lastEntry = entry;
        if (_exists < 0)
            _exists = IndexOf(IndexTerm.Exists);
        Terms.AddEntry(_exists, entry);
    }
}
