using System.Buffers.Binary;
using Pipeline.Storage;

namespace Pipeline.Indexing;

/// <summary>
/// The numbers (or points, as <see cref="PointCode"/>) of a field in order, each with its entry. Deleted entries are
/// not among them. An entry with several numbers is there with each.
/// </summary>
/// <remarks>
/// Belongs to its <see cref="IndexReader"/>; when the reader releases its snapshot, it finds nothing any more. Not
/// thread-safe. Counting a range adds up the counts of its chunks, some hundred numbers each, and searches the first
/// and the last.
/// </remarks>
public sealed unsafe class NumericReader
{
    private readonly IndexReader _reader;
    private readonly byte[] _key = new byte[NumericChunk.KeySize];
    private readonly byte[] _prefix = new byte[3];
    private readonly List<NumericCursor> _cursors = [];
    private readonly Stack<NumericCursor> _free = [];
    private Tree? _tree;
    private TreeCursor? _cursor;

    internal NumericReader(IndexReader reader, Tree tree, int field, byte kind, bool hasMultiple)
    {
        _reader = reader;
        _tree = tree;
        HasMultiple = hasMultiple;
        BinaryPrimitives.WriteUInt16BigEndian(_prefix, (ushort)field);
        _prefix[2] = kind;
        _prefix.CopyTo(_key, 0);
    }

    /// <summary>Whether an entry may have several numbers, so that a count of numbers is not one of entries.</summary>
    public bool HasMultiple { get; }

    internal bool IsOpen => _tree is not null;

    internal int EntryCount => _reader.EntryCount;

    /// <summary>How many numbers are from <paramref name="low"/> to <paramref name="high"/>, both included.</summary>
    /// <exception cref="IndexCorruptException">Stored data is damaged.</exception>
    public long Count(NumericKey low, NumericKey high)
    {
        if (low > high || !SeekChunk(low))
            return 0;
        var cursor = _cursor!;
        var chunk = Open(cursor);
        long count = -chunk.LowerBound(low);
        while (true)
        {
            if (!cursor.MoveNext() || !IsOwn(cursor.Key) || NumericKey.Read(cursor.Key[3..]) > high)
                return Math.Max(0, count + chunk.UpperBound(high));
            count += chunk.Count;
            chunk = Open(cursor);
        }
    }

    /// <summary>
    /// Sets the bit of each entry with a number from <paramref name="low"/> to <paramref name="high"/>; there must be
    /// room for all entries of the reader.
    /// </summary>
    /// <returns>How many numbers were in the range.</returns>
    /// <exception cref="IndexCorruptException">Stored data is damaged.</exception>
    public long SetBits(NumericKey low, NumericKey high, Span<ulong> bits)
    {
        long count = 0;
        if (low > high || !SeekChunk(low))
            return 0;
        var cursor = _cursor!;
        var end = Math.Min((long)EntryCount, bits.Length * 64L);
        do
        {
            var chunk = Open(cursor);
            var to = chunk.UpperBound(high);
            for (var i = chunk.LowerBound(low); i < to; i++)
            {
                var entry = chunk.EntryAt(i);
                if ((uint)entry >= end)
                {
                    throw IndexTrees.Corrupt(
                        IndexTrees.Numbers,
                        cursor.Key,
                        $"entry {entry} is named, but there are {EntryCount}"
                    );
                }

                bits[entry >> 6] |= 1UL << entry;
                count++;
            }

            if (to < chunk.Count)
                break;
        } while (cursor.MoveNext() && IsOwn(cursor.Key));
        return count;
    }

    /// <summary>A place among the numbers, on none yet.</summary>
    public NumericCursor OpenCursor()
    {
        if (_free.TryPop(out var cursor))
            return cursor;
        cursor = new NumericCursor(this, _tree?.OpenCursor());
        _cursors.Add(cursor);
        return cursor;
    }

    /// <summary>Takes a cursor back, for use again.</summary>
    internal void Return(NumericCursor cursor)
    {
        cursor.Leave();
        if (IsOpen)
            _free.Push(cursor);
    }

    internal void Close()
    {
        _free.Clear();
        _tree = null;
        _cursor?.Dispose();
        _cursor = null;
        foreach (var cursor in _cursors)
            cursor.Close();
        _cursors.Clear();
    }

    internal bool IsOwn(ReadOnlySpan<byte> key) => key[..3].SequenceEqual(_prefix);

    internal NumericChunk Open(TreeCursor cursor)
    {
        var value = cursor.Value;
        fixed (byte* at = value)
        {
            return NumericChunk.TryOpen(at, value.Length, out var chunk)
                ? chunk
                : throw IndexTrees.Corrupt(IndexTrees.Numbers, cursor.Key, "a chunk of numbers is not whole");
        }
    }

    /// <summary>Goes to the first chunk that has numbers not less than the key, or the last before it.</summary>
    internal bool SeekChunk(TreeCursor cursor, NumericKey low)
    {
        low.Write(_key.AsSpan(3));
        BinaryPrimitives.WriteInt32BigEndian(_key.AsSpan(13), 0);
        return (cursor.SeekBefore(_key) && IsOwn(cursor.Key)) || (cursor.Seek(_key) && IsOwn(cursor.Key));
    }

    /// <summary>Goes to the last chunk that has numbers not greater than the key.</summary>
    internal bool SeekLastChunk(TreeCursor cursor, NumericKey high)
    {
        high.Write(_key.AsSpan(3));
        BinaryPrimitives.WriteInt32BigEndian(_key.AsSpan(13), int.MaxValue);
        return cursor.SeekBefore(_key) && IsOwn(cursor.Key);
    }

    private bool SeekChunk(NumericKey low) => _tree is not null && SeekChunk(_cursor ??= _tree.OpenCursor(), low);
}
