namespace Pipeline.Indexing;

/// <summary>
/// The entries of a range of numbers in the order of the numbers, rising or falling; entries of equal numbers always
/// rise.
/// </summary>
internal sealed class NumberWalk(NumericCursor cursor, NumericKey low, NumericKey high, bool descending)
{
    private NumericKey _key;
    private bool _begun,
        _single;

    /// <summary>The entry that the walk is on.</summary>
    public int Entry { get; private set; }

    /// <summary>Goes on.</summary>
    /// <returns>False behind the last.</returns>
    public bool MoveNext()
    {
        if (!descending)
            return MoveUp();
        if (!_begun)
        {
            _begun = true;
            return cursor.SeekLast(high) && BeginRun();
        }

        if (!_single)
        {
            if (cursor.MoveNext() && cursor.Key == _key)
                return Take();
            if (_key == NumericKey.Min || !cursor.SeekLast(Before(_key)))
                return false;
        }

        return cursor.IsPositioned && BeginRun();
    }

    private static NumericKey Before(NumericKey key) =>
        key.Low > 0 ? new NumericKey(key.High, (ushort)(key.Low - 1)) : new NumericKey(key.High - 1, ushort.MaxValue);

    private bool MoveUp()
    {
        var more = _begun ? cursor.MoveNext() : cursor.Seek(low);
        _begun = true;
        return more && cursor.Key <= high && Take();
    }

    // The cursor is on the last of the entries with its number. Of one alone the way leads on backwards, of several
    // from the first of them forwards.
    private bool BeginRun()
    {
        _key = cursor.Key;
        if (_key < low)
            return false;
        Entry = cursor.Entry;
        if (_single = !cursor.MovePrevious() || cursor.Key != _key)
            return true;
        return cursor.Seek(_key) && Take();
    }

    private bool Take()
    {
        Entry = cursor.Entry;
        return true;
    }
}
