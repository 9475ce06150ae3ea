using Pipeline.Indexing.Analysis;

namespace Pipeline.Indexing;

/// <summary>
/// A batch's content for one field: terms with their occurrences, lengths of texts, numbers and points.
/// </summary>
internal sealed unsafe class FieldBatch : IDisposable
{
    /// <summary>
    /// Positions that are left free between two texts of one entry, so that no phrase is found across them.
    /// </summary>
    public const int PositionGap = 32;

    private int _lastEntry = -1;
    private BatchTerm* _exists;
    private BatchTerm* _null;
    private ulong[] _hashes = [];
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

    /// <summary>The entry whose end the field has seen; −1 for none.</summary>
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

    /// <summary>The bytes of the next growth if it is near; see <see cref="NativeList{T}.Growth"/>.</summary>
    public long Growth => Terms.Growth + Values.Growth + TermValues.Growth + Lengths.Growth;

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
        var analyzer = Field.Options.Analyzer ?? Analyzers.Standard;
        buffer.SkippedPositions = 0;
        for (var offset = 0; offset >= 0; )
        {
            buffer.Clear();
            offset = analyzer.Analyze(utf8, offset, buffer);
            fixed (byte* terms = buffer.Terms)
                AddTokens(buffer.Entries, terms, cut);
        }

        _position = checked(_position + buffer.SkippedPositions);
    }

    /// <summary>Adds a token of the text that was begun. The term must be valid and not too long.</summary>
    public void AddToken(byte* term, int length, int positionIncrement)
    {
        _position = checked(_position + positionIncrement);
        _length++;
        Terms.AddOccurrence(
            Terms.GetOrAdd(term, length, TermHash.Of(term, length)),
            _lastEntry,
            _position,
            Field.Options.Positions
        );
    }

    /// <summary>
    /// Adds a value that is one term. It must be valid and not too long. In a searched field it is a text of one token.
    /// </summary>
    public void AddTerm(int entry, ReadOnlySpan<byte> term)
    {
        if (Field.Options.Indexing == TermForm.Search)
        {
            BeginText(entry);
            fixed (byte* bytes = term)
                AddToken(bytes, term.Length, 1);
            return;
        }

        Touch(entry);
        var found = Find(term);
        if (Terms.AddEntry(found, entry))
            TermValues.Add(new BatchPair(entry, found->Index));
    }

    public void AddNull(int entry)
    {
        Touch(entry);
        if (_null == null)
            _null = Find(IndexTerm.Null);
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

    /// <summary>
    /// Adds the tokens of a buffer. It prefetches the memory that they need, because waiting for memory would take most
    /// of the time.
    /// </summary>
    private void AddTokens(ReadOnlySpan<TokenEntry> tokens, byte* terms, Span<byte> cut)
    {
        if (_hashes.Length < tokens.Length)
            _hashes = new ulong[Math.Max(tokens.Length, TokenBuffer.BatchTokens)];
        var hashes = _hashes.AsSpan(0, tokens.Length);
        for (var i = 0; i < tokens.Length; i++)
        {
            hashes[i] = TermHash.Of(terms + tokens[i].TermOffset, tokens[i].TermLength);
            Terms.PrefetchBucket(hashes[i]);
        }

        foreach (var hash in hashes)
            Terms.PrefetchTerm(hash);
        var hasPositions = Field.Options.Positions;
        for (var i = 0; i < tokens.Length; i++)
        {
            var token = tokens[i];
            if (token.TermLength > IndexTerm.MaxLength)
            {
                var term = IndexTerm.Normalize(new ReadOnlySpan<byte>(terms + token.TermOffset, token.TermLength), cut);
                fixed (byte* bytes = term)
                    AddToken(bytes, term.Length, token.PositionIncrement);
                continue;
            }

            _position = checked(_position + token.PositionIncrement);
            _length++;
            var found = Terms.GetOrAdd(terms + token.TermOffset, token.TermLength, hashes[i]);
            Terms.AddOccurrence(found, _lastEntry, _position, hasPositions);
        }
    }

    private BatchTerm* Find(ReadOnlySpan<byte> term)
    {
        // A pinned empty span gives null, which is not read from.
        fixed (byte* bytes = term)
            return Terms.GetOrAdd(bytes, term.Length, TermHash.Of(bytes, term.Length));
    }

    private void Touch(int entry)
    {
        if (_lastEntry == entry)
            return;
        _lastEntry = entry;
        if (_exists == null)
            _exists = Find(IndexTerm.Exists);
        Terms.AddEntry(_exists, entry);
    }
}
