using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace Pipeline.Indexing;

/// <content>Positions, unpacked only when asked for.</content>
public sealed unsafe partial class PostingCursor
{
    private const int ReadsWorthUnpacking = 24;
    private const int ReadsWorthOffsets = 6;
    private const int MaxUnpacked = 4096;
    private readonly int[] _offsets = new int[BlockCodec.Length + 1];
    private int[] _positionArray = new int[64];
    private int _positionReads;
    private bool _isUnpacked;
    private bool _hasOffsets;
    private PositionChunk _positionChunk;
    private bool _hasPositionChunk;
    private byte* _positionData;
    private int _positionLength;
    private int _positionWidth;
    private int _positionBlock;

    /// <summary>The last entry of the block that the offsets are of; −1 for none.</summary>
    private int _positionsOf = -1;

    /// <summary>Whether the list has positions.</summary>
    public bool HasPositions => _term.HasPositions;

    /// <summary>
    /// The positions at which the current entry has the term, rising; empty where they are not kept or there is no
    /// current entry. Valid until the next call.
    /// </summary>
    /// <exception cref="IndexCorruptException">Stored data is damaged.</exception>
    public ReadOnlySpan<int> Positions()
    {
        if (!_term.HasPositions || (uint)_index >= (uint)_blockCount)
            return default;
        if (_positionsOf != _blockLast)
            FindPositions();
        _positionReads++;
        var count = (int)_frequencies[_index];
        var from = OffsetOf(_index);
        if (_isUnpacked)
            return _positionArray.AsSpan(from, count);
        if (_positionArray.Length < count)
            _positionArray = new int[Math.Max(count, _positionArray.Length * 2)];
        for (var i = 0; i < count; i++)
            _positionArray[i] = (int)BitPacking.Read(_positionData, _positionLength, from + i, _positionWidth);
        return _positionArray.AsSpan(0, count);
    }

    /// <summary>
    /// The positions of all entries of the current block, one behind the other; valid until the cursor leaves the
    /// block.
    /// </summary>
    /// <param name="offsets">Where those of each entry begin, and at the end where the last ones end.</param>
    /// <exception cref="IndexCorruptException">Stored data is damaged.</exception>
    internal ReadOnlySpan<int> UnpackBlock(out ReadOnlySpan<int> offsets)
    {
        if (_positionsOf != _blockLast)
            FindPositions();
        NoteOffsets();
        var count = _offsets[_blockCount];
        offsets = _offsets.AsSpan(0, _blockCount + 1);
        if (!_isUnpacked)
        {
            _isUnpacked = true;
            UnpackPositions(count);
        }

        return _positionArray.AsSpan(0, count);
    }

    /// <summary>
    /// Reads the positions of all entries of the block that <see cref="FindBlock"/> found, where each fits into a byte.
    /// </summary>
    /// <param name="ends">Takes where those of each entry begin, and at the end where the last ones end.</param>
    /// <param name="room">
    /// Room for the positions and <see cref="PairBlock.Spare"/> bytes; pinned. It is used if they cannot be read in
    /// place.
    /// </param>
    /// <returns>
    /// The positions, behind which <see cref="PairBlock.Spare"/> bytes may be read, until the cursor leaves the block;
    /// null where they do not fit.
    /// </returns>
    /// <exception cref="IndexCorruptException">Stored data is damaged.</exception>
    internal byte* ReadPositions(Span<int> ends, Span<byte> room)
    {
        var count = _term.IsChunked ? _chunk.CountOf(_block) : _blockCount;
        ends[0] = 0;
        if (_term.IsChunked && _chunk.FrequenciesWidth(_block) is var width && count == BlockCodec.Length)
        {
            // Frequencies are kept less one, as gaps are: their sums are where positions end. None runs over with up to
            // 24 bits.
            if (width > 24)
                return null;
            fixed (int* sums = ends[1..])
                BlockCodec.UnpackGaps(_chunk.Frequencies(_block), width, 0, sums);
        }
        else
        {
            if (!_hasFrequencies)
                UnpackFrequencies();
            long sum = 0;
            for (var i = 0; i < count; i++)
                ends[i + 1] = (int)Math.Min(sum += _frequencies[i], int.MaxValue);
        }

        var total = (uint)ends[count];
        if (total > room.Length - PairBlock.Spare)
            return null;
        if (_positionsOf != _blockLast)
            FindPositionData();
        if (_positionWidth > 8)
            return null;
        if (total * _positionWidth > _positionLength * 8L)
            throw Damaged("a block has fewer positions than its frequencies add up to");
        if (_positionWidth == 8)
        {
            if (_term.IsChunked && total + PairBlock.Spare <= _positionChunk.SizeToEnd(_positionBlock))
                return _positionData;
            new ReadOnlySpan<byte>(_positionData, (int)total).CopyTo(room);
        }
        else
        {
            for (var i = 0; i < (int)total; i++)
                room[i] = (byte)BitPacking.Read(_positionData, _positionLength, i, _positionWidth);
        }

        return (byte*)Unsafe.AsPointer(ref room[0]);
    }

    /// <summary>Finds the positions of the current block, and where those of each of its entries begin.</summary>
    private void FindPositions()
    {
        if (!_hasFrequencies)
            UnpackFrequencies();
        var total = Sum(_blockCount);
        if (total > int.MaxValue)
            throw Damaged("the frequencies of a block are too high");
        _hasOffsets = false;
        FindPositionData();
        if (total * _positionWidth > _positionLength * 8L)
            throw Damaged("a block has fewer positions than its frequencies add up to");
        _positionsOf = _blockLast;

        // Where many entries of the block before were asked for, those of this one are unpacked at once.
        _isUnpacked = _positionReads >= ReadsWorthUnpacking && total <= MaxUnpacked;
        _positionReads = 0;
        if (_isUnpacked)
            UnpackPositions((int)total);
    }

    private void FindPositionData()
    {
        if (_term.IsChunked)
        {
            FindPositionBlock();
            return;
        }

        var list = InlinePostings.Open(_record, _recordLength, _term);
        _positionData = list.Positions;
        _positionLength = list.PositionsLength;
        _positionWidth = list.PositionsWidth;
    }

    private bool IsNear(in PositionChunk chunk) =>
        chunk.Last(chunk.Blocks - 1) is var last && _blockLast > last && _blockLast - last <= last - chunk.Last(0);

    /// <summary>
    /// Opens the chunk that the cursor is on; returns which of its blocks has the positions of the current block, −1
    /// for none.
    /// </summary>
    private int OpenPositionChunk()
    {
        var value = _positionCursor!.Value;
        fixed (byte* at = value)
        {
            if (!PositionChunk.TryOpen(at, value.Length, out _positionChunk))
                throw IndexTrees.Corrupt(IndexTrees.Positions, _key, "a chunk of positions is not whole");
        }

        _hasPositionChunk = true;
        return _positionChunk.Find(_blockLast, 0);
    }

    private void UnpackPositions(int count)
    {
        if (_positionArray.Length < count)
            _positionArray = new int[Math.Max(count, _positionArray.Length * 2)];
        var data = _positionData;
        var width = _positionWidth;
        var mask = (1UL << width) - 1;
        var positions = _positionArray.AsSpan(0, count);
        // Eight bytes are loaded at each; near the end of the block that would be too far.
        var safe =
            width == 0 ? count : (int)Math.Min(count, Math.Max(0, (_positionLength - sizeof(ulong)) * 8L / width));
        long bit = 0;
        for (var i = 0; i < safe; i++, bit += width)
            positions[i] = (int)((Unsafe.ReadUnaligned<ulong>(data + (bit >> 3)) >> (int)(bit & 7)) & mask);
        for (var i = safe; i < count; i++)
            positions[i] = (int)BitPacking.Read(data, _positionLength, i, width);
    }

    /// <summary>
    /// Where the positions of an entry begin. Of a few entries of a block the frequencies before are added up for each.
    /// </summary>
    private int OffsetOf(int index)
    {
        if (!_hasOffsets && _positionReads < ReadsWorthOffsets)
            return (int)Sum(index);
        NoteOffsets();
        return _offsets[index];
    }

    private void NoteOffsets()
    {
        if (_hasOffsets)
            return;
        _hasOffsets = true;
        var total = 0;
        for (var i = 0; i < _blockCount; i++)
        {
            _offsets[i] = total;
            total += (int)_frequencies[i];
        }

        _offsets[_blockCount] = total;
    }

    private long Sum(int count)
    {
        // Pairs of numbers are widened, so that no sum of 128 can run over.
        var sums = Vector256<ulong>.Zero;
        var i = 0;
        for (; i + Vector256<uint>.Count <= count; i += Vector256<uint>.Count)
        {
            var (low, high) = Vector256.Widen(Vector256.Load(_frequencies + i));
            sums += low + high;
        }

        var sum = (long)Vector256.Sum(sums);
        for (; i < count; i++)
            sum += _frequencies[i];
        return sum;
    }

    private void FindPositionBlock()
    {
        var block = _hasPositionChunk ? _positionChunk.Find(_blockLast, _positionBlock + 1) : -1;
        if (block < 0)
        {
            if (_positionTree is null)
                throw Damaged("the list's positions are missing");
            _positionCursor ??= _positionTree.OpenCursor();

            // Reading on mostly needs the chunk behind the one that is known.
            if (
                _hasPositionChunk
                && IsNear(_positionChunk)
                && _positionCursor.IsPositioned
                && _positionCursor.MoveNext()
                && IsOwn(_positionCursor.Key)
            )
            {
                block = OpenPositionChunk();
            }

            if (block < 0)
            {
                PostingLayout.WriteKey(_key, _term.List, _blockLast + 1);
                if (!_positionCursor.SeekBefore(_key) || !IsOwn(_positionCursor.Key))
                    throw Damaged("the list's positions are missing");
                block = OpenPositionChunk();
            }

            if (block < 0)
                throw IndexTrees.Corrupt(IndexTrees.Positions, _key, "the positions of a block are missing");
        }

        _positionBlock = block;
        _positionData = _positionChunk.Data(block);
        _positionLength = _positionChunk.Size(block);
        _positionWidth = _positionChunk.Width(block);
    }
}
