using System.Buffers.Binary;
using Pipeline.Storage;

namespace Pipeline.Indexing;

/// <summary>
/// A place in the dictionary of a field: its terms in the order of their bytes. Null is no term here.
/// </summary>
/// <remarks>
/// Belongs to its <see cref="IndexReader"/>; when the reader releases its snapshot, the cursor loses its place. Not
/// thread-safe.
/// </remarks>
public sealed unsafe class TermCursor
{
    private readonly IndexReader _reader;
    private readonly byte[] _key = new byte[sizeof(ushort) + IndexTerm.MaxLength + 1];
    private TreeCursor? _cursor;
    private bool _isPositioned;
    private TermRecord _record;
    private bool _hasRecord;

    internal TermCursor(IndexReader reader) => _reader = reader;

    /// <summary>Whether the cursor is on a term.</summary>
    public bool IsPositioned => _isPositioned;

    /// <summary>The term; valid until the cursor moves.</summary>
    /// <exception cref="InvalidOperationException">The cursor is on none.</exception>
    public ReadOnlySpan<byte> Term => Positioned.Key[sizeof(ushort)..];

    /// <summary>The dictionary's record of it.</summary>
    /// <exception cref="InvalidOperationException">The cursor is on none.</exception>
    /// <exception cref="IndexCorruptException">Stored data is damaged.</exception>
    public TermInfo Info
    {
        get
        {
            Load();
            return _record.ToInfo();
        }
    }

    /// <summary>The entries that have the term; deleted ones count until a purge has met the list.</summary>
    /// <exception cref="InvalidOperationException">The cursor is on none.</exception>
    /// <exception cref="IndexCorruptException">Stored data is damaged.</exception>
    public int DocumentFrequency
    {
        get
        {
            Load();
            return _record.DocumentFrequency;
        }
    }

    /// <summary>Where its record lies.</summary>
    internal TermHandle Handle => new(Positioned.Value, DocumentFrequency);

    private TreeCursor Positioned =>
        _isPositioned ? _cursor! : throw new InvalidOperationException("The cursor is on no term.");

    /// <summary>Goes to the first term that is not less.</summary>
    /// <param name="term">The term; bytes beyond <see cref="IndexTerm.MaxLength"/> are ignored.</param>
    /// <returns>Whether there is one.</returns>
    public bool Seek(ReadOnlySpan<byte> term)
    {
        if (_cursor is null)
            return false;
        term = term[..Math.Min(term.Length, IndexTerm.MaxLength + 1)];
        term.CopyTo(_key.AsSpan(sizeof(ushort)));
        return Found(_cursor.Seek(_key.AsSpan(0, sizeof(ushort) + term.Length)));
    }

    /// <summary>Goes to the next term.</summary>
    /// <returns>Whether there is one.</returns>
    public bool MoveNext() => _isPositioned && Found(_cursor!.MoveNext());

    /// <summary>Goes to the term before.</summary>
    /// <returns>Whether there is one.</returns>
    public bool MovePrevious() => _isPositioned && Found(_cursor!.MovePrevious());

    /// <summary>Opens the list of the term.</summary>
    /// <exception cref="InvalidOperationException">The cursor is on none.</exception>
    public PostingCursor OpenPostings() => _reader.OpenRecord(Positioned.Value);

    /// <summary>Goes to the first term behind all that begin with some bytes.</summary>
    /// <returns>Whether there is one.</returns>
    internal bool SeekBehind(ReadOnlySpan<byte> prefix)
    {
        Span<byte> successor = stackalloc byte[IndexTerm.MaxLength];
        for (var length = prefix.Length; length > 0; length--)
        {
            if (prefix[length - 1] == byte.MaxValue)
                continue;
            prefix[..length].CopyTo(successor);
            successor[length - 1]++;
            return Seek(successor[..length]);
        }

        return _isPositioned = false;
    }

    internal void Open(Tree? terms, int field)
    {
        _cursor = terms?.OpenCursor();
        BinaryPrimitives.WriteUInt16BigEndian(_key, (ushort)field);
        _isPositioned = false;
    }

    internal void Close()
    {
        _cursor?.Dispose();
        _cursor = null;
        _isPositioned = false;
    }

    private bool Found(bool found)
    {
        _hasRecord = false;
        if (!found)
            return _isPositioned = false;
        var key = _cursor!.Key;
        return _isPositioned =
            key[..sizeof(ushort)].SequenceEqual(_key.AsSpan(0, sizeof(ushort)))
            && (key.Length == sizeof(ushort) || key[sizeof(ushort)] != IndexTerm.Reserved);
    }

    private void Load()
    {
        var value = Positioned.Value;
        if (_hasRecord)
            return;
        fixed (byte* at = value)
        {
            if (!TermRecord.TryRead(at, value.Length, out _record))
                throw IndexTrees.Corrupt(IndexTrees.Terms, _cursor!.Key, "a term's record is not whole");
        }

        _hasRecord = true;
    }
}
