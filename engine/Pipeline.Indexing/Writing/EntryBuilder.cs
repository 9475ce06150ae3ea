using System.Text;
using Pipeline.Indexing.Analysis;

namespace Pipeline.Indexing;

/// <summary>
/// The entry that is being added to a batch. A field may get any number of values, of any types; each call adds one.
/// </summary>
/// <remarks>
/// Belongs to its <see cref="IndexBatch"/> and is used again for each entry. Allocates nothing per value or token.
/// </remarks>
public sealed unsafe class EntryBuilder
{
    private readonly IndexBatch _batch;
    private readonly List<FieldBatch> _touched = [];
    private readonly byte[] _cut = new byte[IndexTerm.MaxLength];
    private readonly TokenBuffer _tokens = new();
    private byte[] _lower = new byte[256];
    private int _entry = -1;
    private FieldBatch? _last;

    internal EntryBuilder(IndexBatch batch) => _batch = batch;

    /// <summary>
    /// Adds a string in UTF-8, as the field's <see cref="FieldOptions.Indexing"/> says. Bytes that are not UTF-8 become
    /// U+FFFD.
    /// </summary>
    public void AddText(IndexField field, ReadOnlySpan<byte> utf8)
    {
        switch (field.Options.Indexing)
        {
            case TermForm.Default:
                AddTerm(field, LowerCase(utf8));
                break;
            case TermForm.Exact:
                AddTerm(field, utf8);
                break;
            case TermForm.Search:
                Touch(field)!.AddText(_entry, utf8, _tokens, _cut);
                break;
        }
    }

    /// <summary>Adds a string as one term, whatever the field's options, unless the field is not indexed.</summary>
    public void AddTerm(IndexField field, ReadOnlySpan<byte> term)
    {
        if (Touch(field) is { } batch)
            batch.AddTerm(_entry, IndexTerm.Normalize(term, _cut));
    }

    /// <summary>
    /// Begins a text whose tokens <see cref="AddToken"/> adds: they stand 32 positions behind those of the field's last
    /// text.
    /// </summary>
    /// <exception cref="ArgumentException">The field is not a <see cref="TermForm.Search"/> field.</exception>
    public void BeginText(IndexField field)
    {
        if (field.Options.Indexing != TermForm.Search)
        {
            throw new ArgumentException(
                $"The field '{field.Name}' is {field.Options.Indexing}; only a Search field has tokens.",
                nameof(field)
            );
        }

        Touch(field)!.BeginText(_entry);
    }

    /// <summary>Adds a token to the text that was begun last.</summary>
    /// <param name="field">The field of <see cref="BeginText"/>.</param>
    /// <param name="term">The token in the form that searches use.</param>
    /// <param name="positionIncrement">
    /// How many positions it is behind the token before: 1 for the next word, 0 for another form of the same.
    /// </param>
    /// <exception cref="InvalidOperationException">No text of the field was begun.</exception>
    public void AddToken(IndexField field, ReadOnlySpan<byte> term, int positionIncrement)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(positionIncrement);
        if (Touch(field) is not { IsTextBegun: true } batch)
            throw new InvalidOperationException($"No text of the field '{field.Name}' is begun.");
        term = IndexTerm.Normalize(term, _cut);
        fixed (byte* bytes = term)
            batch.AddToken(bytes, term.Length, positionIncrement);
    }

    /// <summary>Adds a whole number.</summary>
    public void AddLong(IndexField field, long value) => Touch(field)?.AddValue(_entry, ColumnKind.Long, value);

    /// <summary>Adds a number. NaN can be sorted by, before all others, but is in no range.</summary>
    public void AddDouble(IndexField field, double value) =>
        Touch(field)?.AddValue(_entry, ColumnKind.Double, BitConverter.DoubleToInt64Bits(value));

    /// <summary>Adds the term <c>true</c> or <c>false</c>.</summary>
    public void AddBool(IndexField field, bool value) => AddTerm(field, value ? "true"u8 : "false"u8);

    /// <summary>Adds a null, which counts as a value.</summary>
    public void AddNull(IndexField field) => Touch(field)?.AddNull(_entry);

    /// <summary>Adds a point, to the precision of <see cref="PointCode"/>.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Latitude or longitude is not on the earth.</exception>
    public void AddPoint(IndexField field, double latitude, double longitude) =>
        Touch(field)?.AddValue(_entry, ColumnKind.Point, (long)PointCode.From(latitude, longitude));

    /// <summary>Sets bytes that are kept with the entry and returned unchanged.</summary>
    public void SetStored(ReadOnlySpan<byte> bytes)
    {
        CheckBegun();
        _batch.Documents.SetStored(_entry, bytes);
    }

    /// <summary>Ends the entry.</summary>
    public void End()
    {
        CheckBegun();
        foreach (var field in _touched)
            field.EndEntry();
        _touched.Clear();
        _last = null;
        _entry = -1;
        _batch.Ended();
    }

    internal void Begin(ReadOnlySpan<byte> documentId)
    {
        CheckEnded();
        _entry = _batch.Documents.AddEntry(documentId);
    }

    internal void CheckEnded()
    {
        if (_entry >= 0)
            throw new InvalidOperationException("The last entry of the batch was not ended.");
    }

    private void CheckBegun()
    {
        if (_entry < 0)
            throw new InvalidOperationException("No entry of the batch is begun.");
    }

    private FieldBatch? Touch(IndexField field)
    {
        CheckBegun();
        if (_last is { } last && ReferenceEquals(last.Field, field))
            return last;
        if (field.Options.Indexing == TermForm.No)
            return null;
        var batch = _batch.Field(field);
        if (batch.OpenEntry != _entry)
        {
            batch.OpenEntry = _entry;
            _touched.Add(batch);
        }

        return _last = batch;
    }

    /// <summary>The text in lower case: ASCII in one step, all else by Unicode's simple mapping.</summary>
    private ReadOnlySpan<byte> LowerCase(ReadOnlySpan<byte> utf8)
    {
        // A mapping may take one byte more than the letter (U+023A), an invalid byte two more.
        if (_lower.Length < utf8.Length * 3)
            _lower = new byte[utf8.Length * 3];
        if (Ascii.ToLower(utf8, _lower, out var written) == System.Buffers.OperationStatus.Done)
            return _lower.AsSpan(0, written);
        var length = 0;
        while (!utf8.IsEmpty)
        {
            Rune.DecodeFromUtf8(utf8, out var rune, out var consumed);
            length += Rune.ToLowerInvariant(rune).EncodeToUtf8(_lower.AsSpan(length));
            utf8 = utf8[consumed..];
        }

        return _lower.AsSpan(0, length);
    }
}
