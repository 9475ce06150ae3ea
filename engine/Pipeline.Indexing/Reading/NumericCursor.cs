using Pipeline.Storage;

namespace Pipeline.Indexing;

/// <summary>
/// A place among the numbers of a field, moved in their order in both directions; equal numbers by entry.
/// </summary>
/// <remarks>
/// Belongs to the <see cref="IndexReader"/>; when the reader releases its snapshot, the cursor loses its place. Not
/// thread-safe.
/// </remarks>
public sealed class NumericCursor
{
    private readonly NumericReader _reader;
    private TreeCursor? _cursor;
    private NumericChunk _chunk;
    private int _index;
    private int _count;

    internal NumericCursor(NumericReader reader, TreeCursor? cursor)
    {
        _reader = reader;
        _cursor = cursor;
    }

    /// <summary>Whether the cursor is on a number.</summary>
    public bool IsPositioned => (uint)_index < (uint)_count;

    /// <summary>The number.</summary>
    /// <exception cref="InvalidOperationException">The cursor is on none.</exception>
    public NumericKey Key => IsPositioned ? _chunk.KeyAt(_index) : throw NotPositioned();

    /// <summary>Its entry.</summary>
    /// <exception cref="InvalidOperationException">The cursor is on none.</exception>
    public int Entry => IsPositioned ? _chunk.EntryAt(_index) : throw NotPositioned();

    /// <summary>Goes to the first number that is not less.</summary>
    /// <returns>Whether there is one.</returns>
    /// <exception cref="IndexCorruptException">Stored data is damaged.</exception>
    public bool Seek(NumericKey key)
    {
        if (_cursor is null || !_reader.SeekChunk(_cursor, key))
            return Leave();
        Enter();
        _index = _chunk.LowerBound(key);
        return _index < _count || NextChunk();
    }

    /// <summary>Goes to the last number that is not greater.</summary>
    /// <returns>Whether there is one.</returns>
    /// <exception cref="IndexCorruptException">Stored data is damaged.</exception>
    public bool SeekLast(NumericKey key)
    {
        if (_cursor is null || !_reader.SeekLastChunk(_cursor, key))
            return Leave();
        Enter();
        _index = _chunk.UpperBound(key) - 1;
        return _index >= 0 || PreviousChunk();
    }

    /// <summary>Goes to the next number.</summary>
    /// <returns>Whether there is one; the cursor is on none otherwise.</returns>
    public bool MoveNext() => IsPositioned && (++_index < _count || NextChunk());

    /// <summary>Goes to the number before.</summary>
    /// <returns>Whether there is one; the cursor is on none otherwise.</returns>
    public bool MovePrevious() => IsPositioned && (--_index >= 0 || PreviousChunk());

    /// <summary>
    /// Goes on to the first number that is not less. Where the cursor is on one that is not, it stays.
    /// </summary>
    /// <returns>Whether there is one.</returns>
    internal bool SeekForward(NumericKey key)
    {
        if (!IsPositioned || _chunk.KeyAt(_count - 1) < key)
            return Seek(key);
        if (_chunk.KeyAt(_index) < key)
            _index = _chunk.LowerBound(key);
        return true;
    }

    /// <summary>
    /// Copies the entries of the numbers from here on that are not greater and moves behind them. It copies at most as
    /// many as fit, and may copy fewer.
    /// </summary>
    /// <returns>How many; 0 if there are none.</returns>
    internal int FillUpTo(NumericKey high, Span<int> entries)
    {
        if (!IsPositioned)
            return 0;
        var end = _chunk.KeyAt(_count - 1) <= high ? _count : _chunk.UpperBound(high);
        var count = Math.Min(end - _index, entries.Length);
        if (count <= 0)
            return 0;
        _chunk.CopyEntries(_index, entries[..count]);
        _index += count;
        if (_index == _count)
            NextChunk();
        return count;
    }

    internal void Close()
    {
        Leave();
        _cursor?.Dispose();
        _cursor = null;
    }

    private bool NextChunk()
    {
        if (_count == 0 || !_cursor!.MoveNext() || !_reader.IsOwn(_cursor.Key))
            return Leave();
        Enter();
        _index = 0;
        return true;
    }

    private bool PreviousChunk()
    {
        if (_count == 0 || !_cursor!.MovePrevious() || !_reader.IsOwn(_cursor.Key))
            return Leave();
        Enter();
        _index = _count - 1;
        return true;
    }

    private void Enter()
    {
        _chunk = _reader.Open(_cursor!);
        _count = _chunk.Count;
    }

    internal bool Leave()
    {
        _chunk = default;
        _count = 0;
        _index = -1;
        return false;
    }

    private static InvalidOperationException NotPositioned() => new("The cursor is on no number.");
}
