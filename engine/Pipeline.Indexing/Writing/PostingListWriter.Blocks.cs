using System.Buffers.Binary;

namespace Pipeline.Indexing;

/// <content>Blocks become chunks, or the inline form of a small list.</content>
internal sealed unsafe partial class PostingListWriter
{
    private void EndBlock()
    {
        NoteImpact();
        var entries = _entries.AsSpan(0, _count);
        var frequencies = _frequencies.AsSpan(0, _count);
        var frequenciesWidth = _term.HasFrequencies ? FrequenciesWidth(frequencies) : 0;
        var frequenciesSize = _term.HasFrequencies ? PostingLayout.FrequenciesSize(_count, frequenciesWidth) : 0;
        var before = _chunk.Blocks == 0 ? entries[0] - 1 : _chunkLast;
        var width = PostingBlock.EntriesWidth(entries, before);
        var size = PostingLayout.EntriesSize(_count, width, before, entries[^1]) + frequenciesSize;
        if (
            _chunk.Blocks > 0
            && (
                _chunk.Size + PostingLayout.DirectorySize + size > PostingLayout.MaxChunk
                || _chunk.Blocks == byte.MaxValue
            )
        )
        {
            EndChunk();
            before = entries[0] - 1;
            width = PostingBlock.EntriesWidth(entries, before);
            size = PostingLayout.EntriesSize(_count, width, before, entries[^1]) + frequenciesSize;
        }

        if (_chunk.Blocks == 0)
        {
            _chunkFirst = entries[0];
            _chunkCount = 0;
        }

        var room = _chunk.Room(size);
        var written = PostingBlock.WriteEntries(entries, width, before, room);
        if (_term.HasFrequencies)
            PostingBlock.WriteFrequencies(frequencies, frequenciesWidth, room[written..]);
        var offset = _chunk.DataLength;
        var directory = _chunk.AddBlock(size);
        BinaryPrimitives.WriteInt32LittleEndian(directory, entries[^1]);
        BinaryPrimitives.WriteUInt16LittleEndian(directory[4..], (ushort)offset);
        directory[6] = (byte)width;
        directory[7] = (byte)frequenciesWidth;
        _impacts.Write(directory[8..]);
        _chunkLast = entries[^1];
        _chunkCount += _count;
        if (_term.HasPositions)
            EndPositionBlock(entries[0], entries[^1]);
        ClearBlock();
    }

    private void EndPositionBlock(int first, int last)
    {
        var positions = _blockPositions.AsSpan(0, _positionCount);
        var width = PostingLayout.PositionsWidth(PositionsWidth(positions));
        var size = BitPacking.Size(_positionCount, width);
        if (
            _positionChunk.Blocks > 0
            && (
                _positionChunk.Size + PostingLayout.PositionDirectorySize + size > PostingLayout.MaxChunk
                || _positionChunk.Blocks == ushort.MaxValue
            )
        )
        {
            EndPositionChunk();
        }

        if (_positionChunk.Blocks == 0)
            _positionChunkFirst = first;
        BitPacking.Write(positions, width, _positionChunk.Room(size));
        var offset = _positionChunk.DataLength;
        var directory = _positionChunk.AddBlock(size);
        BinaryPrimitives.WriteInt32LittleEndian(directory, last);
        BinaryPrimitives.WriteInt32LittleEndian(directory[4..], offset);
        directory[8] = (byte)width;
    }

    private void EndChunk()
    {
        if (_chunk.Blocks == 0)
            return;
        EnsureList();
        PostingLayout.WriteKey(_key, _term.List, _chunkFirst);
        var value = _postings.Reserve(_key, _chunk.Size);
        BinaryPrimitives.WriteUInt16LittleEndian(value, (ushort)_chunkCount);
        value[2] = (byte)_chunk.Blocks;
        value[3] = 0;
        _chunk.WriteTo(value, wideOffsets: false);
        _chunk.Clear();
    }

    private void EndPositionChunk()
    {
        if (_positionChunk.Blocks == 0)
            return;
        EnsureList();
        PostingLayout.WriteKey(_key, _term.List, _positionChunkFirst);
        var value = _positions.Reserve(_key, _positionChunk.Size);
        BinaryPrimitives.WriteInt32LittleEndian(value, _positionChunk.Blocks);
        _positionChunk.WriteTo(value, wideOffsets: true);
        _positionChunk.Clear();
    }

    private void EnsureList()
    {
        if (_term.IsChunked)
            return;
        _term.Flags |= PostingFlags.Chunked;
        _term.List = _nextList++;
    }

    /// <summary>Writes the whole list, one unfinished block, into the record if it is small.</summary>
    private bool TryWriteInline(out ReadOnlySpan<byte> written)
    {
        written = default;
        if (_count == BlockCodec.Length)
            return false;
        var entries = _entries.AsSpan(0, _count);
        var frequencies = _frequencies.AsSpan(0, _count);
        var positions = _blockPositions.AsSpan(0, _positionCount);
        var width = PostingBlock.EntriesWidth(entries, -1);
        var frequenciesWidth = FrequenciesWidth(frequencies);
        var positionsWidth = PositionsWidth(positions);
        var size =
            3
            + BitPacking.Size(_count, width)
            + BitPacking.Size(_count, frequenciesWidth)
            + BitPacking.Size(_positionCount, positionsWidth);
        if (size > PostingLayout.MaxInline)
            return false;
        fixed (byte* start = _record)
        {
            var record = _record.AsSpan();
            var at = (int)(_term.Write(start) - start);
            record[at++] = (byte)width;
            if (_term.HasFrequencies)
                record[at++] = (byte)frequenciesWidth;
            if (_term.HasPositions)
                record[at++] = (byte)positionsWidth;
            at += PostingBlock.WriteEntries(entries, width, -1, record[at..]);
            if (_term.HasFrequencies)
                at += PostingBlock.WriteFrequencies(frequencies, frequenciesWidth, record[at..]);
            if (_term.HasPositions)
                at += BitPacking.Write(positions, positionsWidth, record[at..]);
            written = record[..at];
            return true;
        }
    }

    private static int FrequenciesWidth(ReadOnlySpan<uint> frequencies)
    {
        uint all = 0;
        foreach (var frequency in frequencies)
            all |= frequency - 1;
        return BitPacking.Width(all);
    }

    private static int PositionsWidth(ReadOnlySpan<uint> positions)
    {
        uint all = 0;
        foreach (var position in positions)
            all |= position;
        return BitPacking.Width(all);
    }
}
