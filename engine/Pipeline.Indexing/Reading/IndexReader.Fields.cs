using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;

namespace Pipeline.Indexing;

/// <content>Terms, lists, columns and numbers of fields.</content>
public sealed partial class IndexReader
{
    private readonly List<PostingCursor> _postingCursors = [];
    private readonly Stack<PostingCursor> _freePostings = [];
    private readonly List<TermCursor> _termCursors = [];
    private readonly Stack<TermCursor> _freeTerms = [];
    private OpenField?[] _openFields = new OpenField?[8]; // by number

    /// <summary>The fields of the index, by number. Some may have no values in this snapshot yet.</summary>
    public IReadOnlyList<IndexField> Fields => _pool.Fields.All;

    /// <summary>The field of a name, if there is one.</summary>
    public bool TryGetField(string name, [NotNullWhen(true)] out IndexField? field) =>
        _pool.Fields.TryGet(name, out field);

    /// <summary>Figures for scores.</summary>
    public FieldStatistics GetStatistics(IndexField field)
    {
        if (field.Options.Indexing != TermForm.Search)
        {
            return new FieldStatistics(
                TryGetRecord(field, IndexTerm.Exists, out var record) ? Read(record).DocumentFrequency : 0,
                0
            );
        }

        var state = State(field);
        return new FieldStatistics(state.Entries, state.Tokens);
    }

    /// <summary>What the dictionary knows of a term.</summary>
    /// <param name="field">The field.</param>
    /// <param name="term">The term, as <see cref="IndexTerm.Normalize"/> gives it.</param>
    /// <param name="info">What is known.</param>
    /// <returns>Whether the field has the term.</returns>
    public bool TryGetTerm(IndexField field, ReadOnlySpan<byte> term, out TermInfo info)
    {
        info = default;
        if (!TryGetRecord(field, term, out var record))
            return false;
        info = Read(record).ToInfo();
        return true;
    }

    /// <summary>A place in the dictionary of a field, on no term yet.</summary>
    public TermCursor OpenTerms(IndexField field)
    {
        CheckOpen();
        if (!_freeTerms.TryPop(out var cursor))
            _termCursors.Add(cursor = new TermCursor(this));
        cursor.Open(_terms, field.Number);
        return cursor;
    }

    /// <summary>The entries that have a term; null where the field does not have it.</summary>
    /// <param name="field">The field.</param>
    /// <param name="term">The term, as <see cref="IndexTerm.Normalize"/> gives it.</param>
    public PostingCursor? OpenPostings(IndexField field, ReadOnlySpan<byte> term) =>
        TryGetRecord(field, term, out var record) ? OpenRecord(record) : null;

    /// <summary>The entries that have a null in the field; null if there are none.</summary>
    public PostingCursor? OpenNulls(IndexField field) => OpenPostings(field, IndexTerm.Null);

    /// <summary>The entries that have any value in the field, null included; null if there are none.</summary>
    public PostingCursor? OpenExists(IndexField field) => OpenPostings(field, IndexTerm.Exists);

    /// <summary>
    /// The term of a number in the field's <see cref="ColumnKind.Term"/> column; valid until the reader is disposed.
    /// </summary>
    /// <exception cref="IndexCorruptException">There is none of the number.</exception>
    public ReadOnlySpan<byte> GetTerm(IndexField field, int id)
    {
        CheckOpen();
        var key = _key.AsSpan(0, sizeof(ushort) + sizeof(int));
        BinaryPrimitives.WriteUInt16BigEndian(key, (ushort)field.Number);
        BinaryPrimitives.WriteInt32BigEndian(key[sizeof(ushort)..], id);
        if (_termIds is null || !_termIds.TryGet(key, out var term))
            throw IndexTrees.Corrupt(IndexTrees.TermIds, key, "there is no term of this number");
        return term;
    }

    /// <summary>All numbers of the field's terms are less.</summary>
    public int TermIdCount(IndexField field) => State(field).NextTermId;

    /// <summary>Opens a column of the field; null if the field has had no value of the kind.</summary>
    public ColumnReader? OpenColumn(IndexField field, ColumnKind kind)
    {
        var open = Opened(field);
        return open.State.Has(kind)
            ? open.Columns[(int)kind] ??= new ColumnReader(_columns, field.Number, kind, _state.EntryCount)
            : null;
    }

    /// <summary>Whether some entry has had several values of the kind.</summary>
    public bool HasMultiple(IndexField field, ColumnKind kind) => (State(field).Multiple & (1 << (int)kind)) != 0;

    /// <summary>How many tokens the texts of the field have, by entry.</summary>
    public FieldLengths OpenLengths(IndexField field) => new(OpenColumn(field, ColumnKind.Length) ?? NoColumn);

    /// <summary>Opens the field's numbers in order; null if it has had none.</summary>
    public NumericReader? OpenNumbers(IndexField field) =>
        OpenNumeric(field, NumericChunk.Numbers, ColumnKind.Long, ColumnKind.Double);

    /// <summary>
    /// Opens the field's points in the order of <see cref="PointCode"/>, each as the <see cref="NumericKey.High"/> of a
    /// key; null if it has had none.
    /// </summary>
    public NumericReader? OpenPoints(IndexField field) =>
        OpenNumeric(field, NumericChunk.Points, ColumnKind.Point, ColumnKind.Point);

    internal ColumnReader LengthColumn(int field) => OpenColumn(Fields[field], ColumnKind.Length) ?? NoColumn;

    internal PostingCursor OpenRecord(ReadOnlySpan<byte> record)
    {
        CheckOpen();
        if (!_freePostings.TryPop(out var cursor))
            _postingCursors.Add(cursor = new PostingCursor());
        cursor.Open(this, record);
        return cursor;
    }

    /// <summary>Takes a cursor back, for use again.</summary>
    internal void Return(PostingCursor cursor)
    {
        if (_isOpen)
            _freePostings.Push(cursor);
    }

    /// <summary>Takes a cursor back, for use again.</summary>
    internal void Return(TermCursor cursor)
    {
        cursor.Close();
        if (_isOpen)
            _freeTerms.Push(cursor);
    }

    /// <summary>Where the record of a term lies.</summary>
    internal bool TryGetHandle(IndexField field, ReadOnlySpan<byte> term, out TermHandle handle)
    {
        handle = default;
        if (!TryGetRecord(field, term, out var record))
            return false;
        handle = new TermHandle(record, Read(record).DocumentFrequency);
        return true;
    }

    /// <summary>
    /// Gets the term numbers for counting in a field whose entries have at most one term; null if it has none.
    /// </summary>
    internal FlatTermNumbers? FlatTerms(IndexField field)
    {
        var open = Opened(field);
        if (
            open.FlatTerms is null
            && !HasMultiple(field, ColumnKind.Term)
            && OpenColumn(field, ColumnKind.Term) is { } column
        )
        {
            open.FlatTerms = new FlatTermNumbers(column, EntryCount, TermIdCount(field));
        }

        return open.FlatTerms;
    }

    /// <summary>A column without values.</summary>
    internal static ColumnReader NoColumn { get; } = new(null, 0, ColumnKind.Length, 0);

    private NumericReader? OpenNumeric(IndexField field, byte kind, ColumnKind first, ColumnKind second)
    {
        var open = Opened(field);
        var state = open.State;
        if (_numbers is null || !(state.Has(first) || state.Has(second)))
            return null;
        if (open.Numbers[kind] is not { } numbers)
        {
            var isMixed = first != second && state.Has(first) && state.Has(second);
            numbers = new NumericReader(
                this,
                _numbers,
                field.Number,
                kind,
                isMixed || HasMultiple(field, first) || HasMultiple(field, second)
            );
            open.Numbers[kind] = numbers;
        }

        return numbers;
    }

    private FieldState State(IndexField field) => Opened(field).State;

    private OpenField Opened(IndexField field)
    {
        CheckOpen();
        if (field.Number >= _openFields.Length)
            Array.Resize(ref _openFields, Math.Max(field.Number + 1, _openFields.Length * 2));
        return _openFields[field.Number] ??= new OpenField(FieldRecord.Read(_fields, field.Number));
    }

    private bool TryGetRecord(IndexField field, ReadOnlySpan<byte> term, out ReadOnlySpan<byte> record)
    {
        CheckOpen();
        record = default;
        if (_terms is null || term.Length > IndexTerm.MaxLength)
            return false;
        BinaryPrimitives.WriteUInt16BigEndian(_key, (ushort)field.Number);
        term.CopyTo(_key.AsSpan(sizeof(ushort)));
        return _terms.TryGet(_key.AsSpan(0, sizeof(ushort) + term.Length), out record);
    }

    private static unsafe TermRecord Read(ReadOnlySpan<byte> value)
    {
        fixed (byte* at = value)
        {
            return TermRecord.TryRead(at, value.Length, out var record)
                ? record
                : throw IndexTrees.Corrupt(IndexTrees.Terms, default, "a term's record is not whole");
        }
    }

    private void CloseParts()
    {
        _freePostings.Clear();
        foreach (var cursor in _postingCursors)
        {
            cursor.Close();
            _freePostings.Push(cursor);
        }

        _freeTerms.Clear();
        foreach (var cursor in _termCursors)
        {
            cursor.Close();
            _freeTerms.Push(cursor);
        }

        foreach (var open in _openFields)
            open?.Close();
        Array.Clear(_openFields);
    }

    /// <summary>The opened parts of a field.</summary>
    private sealed class OpenField(FieldState state)
    {
        public FieldState State => state;

        public ColumnReader?[] Columns { get; } = new ColumnReader?[(int)ColumnKind.Length + 1];

        public NumericReader?[] Numbers { get; } = new NumericReader?[NumericChunk.Points + 1];

        public FlatTermNumbers? FlatTerms { get; set; }

        public void Close()
        {
            foreach (var column in Columns)
                column?.Close();
            foreach (var numbers in Numbers)
                numbers?.Close();
        }
    }
}
