using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using Pipeline.Storage;

namespace Pipeline.Indexing;

/// <summary>
/// The entries of a term, with frequencies and positions where these are kept. Deleted entries are among them until a
/// purge has met the list: see
/// <see cref="IndexReader.Deleted"/>.
/// </summary>
/// <remarks>
/// <para>
/// Belongs to its <see cref="IndexReader"/>, which uses it again; when the reader releases its snapshot, the cursor
/// goes to the end.
/// </para>
/// <para>
/// Safety of the pointers: chunks lie in pages of the snapshot, which do not move while it is held; a closed cursor has
/// no chunk. Unpacked numbers go to pinned arrays of 128.
/// </para>
/// </remarks>
public sealed unsafe partial class PostingCursor : EntryIterator
{
    private readonly int[] _entryArray = GC.AllocateUninitializedArray<int>(BlockCodec.Length, pinned: true);
    private readonly uint[] _frequencyArray = GC.AllocateUninitializedArray<uint>(BlockCodec.Length, pinned: true);
    private readonly byte[] _key = new byte[PostingLayout.KeySize];
    private readonly int* _entries;
    private readonly uint* _frequencies;
    private Tree? _postingTree;
    private Tree? _positionTree;
    private TreeCursor? _postings;
    private TreeCursor? _positionCursor;
    private TermRecord _term;
    private byte* _record;
    private int _recordLength;
    private int _end;

    /// <summary>The chunk that the current block is from, and the block; of a list in its record, block 0.</summary>
    private PostingChunk _chunk;
    private int _chunkLast;
    private int _block;
    private int _blockLast;
    private int _blockCount;
    private int _index;
    private bool _hasFrequencies;

    /// <summary>The first and last entry of the chunk that the tree cursor is on; −1 if unknown.</summary>
    private int _onFirst;
    private int _onLast = -1;

    internal PostingCursor()
    {
        _entries = (int*)Unsafe.AsPointer(ref _entryArray[0]);
        _frequencies = (uint*)Unsafe.AsPointer(ref _frequencyArray[0]);
    }

    /// <inheritdoc/>
    public override long Cost => _term.DocumentFrequency;

    /// <summary>The dictionary's record of the term.</summary>
    public TermInfo Info => _term.ToInfo();

    /// <summary>
    /// How often the current entry has the term; 1 if frequencies are not stored, 0 if there is no current entry.
    /// </summary>
    public int Frequency
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            if (!_hasFrequencies)
                UnpackFrequencies();
            return (uint)_index < (uint)_blockCount ? (int)_frequencies[_index] : 0;
        }
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public override int Next()
    {
        var next = _index + 1;
        if (next >= _blockCount)
            return NextBlock();
        _index = next;
        return Current = _entries[next];
    }

    /// <inheritdoc/>
    public override int SkipTo(int target)
    {
        if (target <= Current)
            return Current;
        if (target > _blockLast && !SkipToBlock(target))
            return ToEnd();
        // Steps are mostly short: the next few entries are checked first.
        var low = _index + 1;
        var high = _blockCount - 1;
        for (var near = Math.Min(low + 3, high); low < near; low++)
        {
            if (_entries[low] >= target)
            {
                _index = low;
                return Current = _entries[low];
            }
        }

        while (low < high)
        {
            var middle = (low + high) >>> 1;
            if (_entries[middle] < target)
                low = middle + 1;
            else
                high = middle;
        }

        _index = low;
        return Current = _entries[low];
    }

    /// <inheritdoc/>
    public override int Fill(Span<int> entries)
    {
        if (Current < 0)
            Next();
        var filled = 0;
        while (filled < entries.Length && Current != End)
        {
            var count = Math.Min(_blockCount - _index, entries.Length - filled);
            new ReadOnlySpan<int>(_entries + _index, count).CopyTo(entries[filled..]);
            filled += count;
            _index += count - 1;
            Next();
        }

        return filled;
    }

    internal TermRecord Record => _term;

    internal void Open(IndexReader reader, ReadOnlySpan<byte> record)
    {
        // The record lies in a page of the snapshot, which does not move.
        fixed (byte* at = record)
            _record = at;
        _recordLength = record.Length;
        _end = reader.EntryCount;
        if (!TermRecord.TryRead(_record, _recordLength, out _term) || _term.LastEntry >= _end)
            throw IndexTrees.Corrupt(IndexTrees.Terms, default, "a term's record is not whole");
        _postingTree = reader.PostingTree;
        _positionTree = reader.PositionTree;
        Current = -1;
        _index = -1;
        _blockCount = 0;
        _blockLast = -1;
        _chunk = default;
        _chunkLast = -1;
        _block = -1;
        _hasFrequencies = true;
        _positionsOf = -1;
        _positionChunk = default;
        _hasPositionChunk = false;
        _onLast = -1;
        ResetShallow();
    }

    /// <summary>Goes to the end and drops all pointers into the snapshot.</summary>
    internal void Close()
    {
        ToEnd();
        _term = default;
        _record = null;
        _postings?.Dispose();
        _positionCursor?.Dispose();
        _postings = _positionCursor = null;
        _postingTree = _positionTree = null;
    }

    private int ToEnd()
    {
        _index = -1;
        _blockCount = 0;
        _blockLast = End;
        _chunkLast = End;
        _block = int.MaxValue - 1;
        _hasFrequencies = true;
        return Current = End;
    }

    private int NextBlock()
    {
        if (Current == End)
            return End;
        if (_blockLast >= 0 && _blockLast >= _term.LastEntry)
            return ToEnd();
        if (!SkipToBlock(_blockLast + 1))
            return ToEnd();
        _index = 0;
        return Current = _entries[0];
    }

    /// <summary>
    /// Unpacks the block with the target or, if no entry equals it, the next entry; false if there is none. The index
    /// is then before the block's first entry.
    /// </summary>
    private bool SkipToBlock(int target)
    {
        if (target > _term.LastEntry || _record == null)
            return false;
        if (!_term.IsChunked)
        {
            var list = InlinePostings.Open(_record, _recordLength, _term);
            list.ReadEntries(_entries);
            Enter(0, _term.LastEntry, list.Count);
            return true;
        }

        if (target > _chunkLast && !FindChunk(target))
            return false;
        var block = _chunk.FindBlock(Math.Max(_block, 0), target);
        if (!_chunk.ReadEntries(block, _entries))
            throw Damaged("a block does not end with the entry that its directory names");
        Enter(block, _chunk.Last(block), _chunk.CountOf(block));
        return true;
    }

    private void Enter(int block, int last, int count)
    {
        _block = block;
        _blockLast = last;
        _blockCount = count;
        _index = -1;
        _hasFrequencies = false;
    }

    private void UnpackFrequencies()
    {
        _hasFrequencies = true;
        if (!_term.HasFrequencies)
            new Span<uint>(_frequencies, _blockCount).Fill(1);
        else if (_term.IsChunked)
            _chunk.ReadFrequencies(_block, _frequencies);
        else
            InlinePostings.Open(_record, _recordLength, _term).ReadFrequencies(_frequencies);
    }

    /// <summary>Goes to the chunk in which the target is, or that behind it.</summary>
    private bool FindChunk(int target)
    {
        if (_shallowLast >= target && _shallowFirst <= target)
        {
            _chunk = _shallow;
        }
        else
        {
            if (!TryFindChunk(target, out var found, out var _))
                return false;
            _chunk = found;
        }

        _chunkLast = _chunk.LastEntry;
        _block = -1;
        return true;
    }

    private bool TryFindChunk(int target, out PostingChunk chunk, out int first)
    {
        chunk = default;
        first = -1;
        if (_postingTree is null)
            throw Damaged("the list's chunks are missing");
        _postings ??= _postingTree.OpenCursor();
        if (TryNextChunk(target, ref chunk, ref first))
            return true;
        PostingLayout.WriteKey(_key, _term.List, target + 1);
        var found = _postings.SeekBefore(_key) && IsOwn(_postings.Key);
        if (found)
        {
            chunk = OpenChunk(_postings, out first);
            if (chunk.LastEntry >= target)
                return true;
            found = _postings.MoveNext() && IsOwn(_postings.Key);
        }
        else
        {
            PostingLayout.WriteKey(_key, _term.List, 0);
            found = _postings.Seek(_key) && IsOwn(_postings.Key);
        }

        if (!found)
            throw Damaged("the list ends before its last entry");
        chunk = OpenChunk(_postings, out first);
        return true;
    }

    /// <summary>
    /// Reading on mostly needs the chunk behind the one that the cursor of the tree is on: a step instead of a search.
    /// </summary>
    private bool TryNextChunk(int target, ref PostingChunk chunk, ref int first)
    {
        if (_onLast < 0 || target <= _onLast || target - _onLast > _onLast - _onFirst || !_postings!.IsPositioned)
            return false;
        if (!_postings.MoveNext() || !IsOwn(_postings.Key))
        {
            _onLast = -1;
            return false;
        }

        chunk = OpenChunk(_postings, out first);
        return chunk.LastEntry >= target;
    }

    private PostingChunk OpenChunk(TreeCursor cursor, out int first)
    {
        first = BinaryPrimitives.ReadInt32BigEndian(cursor.Key[sizeof(ulong)..]);
        var value = cursor.Value;
        fixed (byte* at = value)
        {
            if (!PostingChunk.TryOpen(at, value.Length, first, _end, _term.HasFrequencies, out var chunk))
                throw Damaged("a chunk is not whole");
            (_onFirst, _onLast) = (first, chunk.LastEntry);
            return chunk;
        }
    }

    private bool IsOwn(ReadOnlySpan<byte> key) => BinaryPrimitives.ReadUInt64BigEndian(key) == _term.List;

    private IndexCorruptException Damaged(string reason) => IndexTrees.Corrupt(IndexTrees.Postings, _key, reason);
}
