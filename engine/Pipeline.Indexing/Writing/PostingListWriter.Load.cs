using System.Buffers.Binary;
using Pipeline.Storage;

namespace Pipeline.Indexing;

/// <content>Going on with a stored list.</content>
internal sealed unsafe partial class PostingListWriter
{
    /// <summary>Begins with a stored list, to which entries are then added.</summary>
    /// <param name="record">The term's record.</param>
    /// <param name="end">All stored entries are less.</param>
    /// <param name="postings">A cursor over the tree of chunks.</param>
    /// <param name="positions">A cursor over the tree of positions.</param>
    /// <exception cref="IndexCorruptException">Stored data is damaged.</exception>
    public void Load(ReadOnlySpan<byte> record, int end, TreeCursor postings, TreeCursor positions)
    {
        fixed (byte* at = record)
        {
            if (!TermRecord.TryRead(at, record.Length, out var stored) || stored.LastEntry >= end)
                throw IndexTrees.Corrupt(IndexTrees.Terms, default, "a term's record is not whole");
            Begin(stored.Flags, stored.Id);
            _term = stored;
            if (stored.IsChunked)
                LoadLastChunk(end, postings, positions);
            else
                LoadInline(InlinePostings.Open(at, record.Length, stored));
        }
    }

    private void LoadInline(in InlinePostings list)
    {
        fixed (int* entries = _entries)
        fixed (uint* frequencies = _frequencies)
        {
            list.ReadEntries(entries);
            list.ReadFrequencies(frequencies);
        }

        _count = list.Count;
        _maxFrequency = _term.MaxFrequency;
        _minLength = _term.MinLength;
        _impacts.Add(_maxFrequency, _minLength);
        LoadPositions(list.Positions, list.PositionsLength, list.PositionsWidth);
    }

    private void LoadLastChunk(int end, TreeCursor postings, TreeCursor positions)
    {
        PostingLayout.WriteKey(_key, _term.List, int.MaxValue);
        if (!postings.SeekBefore(_key) || !postings.Key[..sizeof(ulong)].SequenceEqual(_key.AsSpan(0, sizeof(ulong))))
            throw IndexTrees.Corrupt(IndexTrees.Postings, _key, "a list has no chunk");
        var first = BinaryPrimitives.ReadInt32BigEndian(postings.Key[sizeof(ulong)..]);
        var value = postings.Value;
        fixed (byte* at = value)
        {
            if (
                !PostingChunk.TryOpen(at, value.Length, first, end, _term.HasFrequencies, out var chunk)
                || chunk.LastEntry != _term.LastEntry
            )
            {
                throw IndexTrees.Corrupt(IndexTrees.Postings, postings.Key, "a chunk is not whole");
            }

            var full = chunk.Count / BlockCodec.Length;
            _chunkFirst = first;
            for (var i = 0; i < full; i++)
                CopyBlock(chunk, i);
            if (full > 0)
                _chunkLast = chunk.Last(full - 1);
            _chunkCount = full * BlockCodec.Length;
            if (full < chunk.Blocks)
                LoadBlock(chunk, full);
        }

        if (_term.HasPositions)
            LoadLastPositions(positions);
    }

    private void CopyBlock(in PostingChunk chunk, int block)
    {
        var size = chunk.DataSize(block, _term.HasFrequencies);
        new ReadOnlySpan<byte>(chunk.Data(block), size).CopyTo(_chunk.Room(size));
        var offset = _chunk.DataLength;
        var directory = _chunk.AddBlock(size);
        BinaryPrimitives.WriteInt32LittleEndian(directory, chunk.Last(block));
        BinaryPrimitives.WriteUInt16LittleEndian(directory[4..], (ushort)offset);
        directory[6] = (byte)chunk.EntriesWidth(block);
        directory[7] = (byte)chunk.FrequenciesWidth(block);
        chunk.Impacts(block).CopyTo(directory[8..]);
    }

    private void LoadBlock(in PostingChunk chunk, int block)
    {
        fixed (int* entries = _entries)
        fixed (uint* frequencies = _frequencies)
        {
            if (!chunk.ReadEntries(block, entries))
            {
                throw IndexTrees.Corrupt(
                    IndexTrees.Postings,
                    _key,
                    "a block does not end with the entry that its directory names"
                );
            }

            if (_term.HasFrequencies)
                chunk.ReadFrequencies(block, frequencies);
            else
                _frequencies.AsSpan().Fill(1);
        }

        _count = chunk.CountOf(block);
        _impacts.Read(chunk.Impacts(block));
        (_maxFrequency, _minLength) = (_impacts.MaxFrequency, _impacts.MinLength);
    }

    /// <summary>
    /// Goes on with the last chunk of positions; those of a block that is not full are taken out of it.
    /// </summary>
    private void LoadLastPositions(TreeCursor positions)
    {
        if (!positions.SeekBefore(_key) || !positions.Key[..sizeof(ulong)].SequenceEqual(_key.AsSpan(0, sizeof(ulong))))
            throw IndexTrees.Corrupt(IndexTrees.Positions, _key, "a list has no positions");
        _positionChunkFirst = BinaryPrimitives.ReadInt32BigEndian(positions.Key[sizeof(ulong)..]);
        var value = positions.Value;
        fixed (byte* at = value)
        {
            if (
                !PositionChunk.TryOpen(at, value.Length, out var chunk)
                || chunk.Last(chunk.Blocks - 1) != _term.LastEntry
            )
            {
                throw IndexTrees.Corrupt(IndexTrees.Positions, positions.Key, "a chunk of positions is not whole");
            }

            var full = _count > 0 ? chunk.Blocks - 1 : chunk.Blocks;
            for (var i = 0; i < full; i++)
            {
                var size = chunk.Size(i);
                new ReadOnlySpan<byte>(chunk.Data(i), size).CopyTo(_positionChunk.Room(size));
                var offset = _positionChunk.DataLength;
                var directory = _positionChunk.AddBlock(size);
                BinaryPrimitives.WriteInt32LittleEndian(directory, chunk.Last(i));
                BinaryPrimitives.WriteInt32LittleEndian(directory[4..], offset);
                directory[8] = (byte)chunk.Width(i);
            }

            if (full < chunk.Blocks)
                LoadPositions(chunk.Data(full), chunk.Size(full), chunk.Width(full));
        }
    }

    private void LoadPositions(byte* source, int length, int width)
    {
        if (!_term.HasPositions)
            return;
        long total = 0;
        for (var i = 0; i < _count; i++)
            total += _frequencies[i];
        if (total * width > length * 8L || total > Array.MaxLength)
        {
            throw IndexTrees.Corrupt(
                IndexTrees.Positions,
                _key,
                "a block has fewer positions than its frequencies add up to"
            );
        }

        if (_blockPositions.Length < total)
            Array.Resize(ref _blockPositions, (int)total);
        _positionCount = (int)total;
        for (var i = 0; i < _positionCount; i++)
            _blockPositions[i] = BitPacking.Read(source, length, i, width);
    }
}
