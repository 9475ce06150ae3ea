using System.Numerics;
using System.Runtime.CompilerServices;

namespace Pipeline.Indexing;

/// <content>Whole blocks at once.</content>
/// <remarks>
/// Safety of the pointers: a bitmap block has the words that <see cref="PostingLayout.BitmapWords"/> names, which the
/// chunk's opening has checked. Sets are spans.
/// </remarks>
public sealed unsafe partial class PostingCursor
{
    private PairBlock? _pair;

    /// <summary>The entries of the current block, those before the current one among them.</summary>
    internal ReadOnlySpan<int> BlockEntries => new(_entries, _blockCount);

    /// <summary>How often each entry of the current block has the term.</summary>
    internal ReadOnlySpan<int> BlockFrequencies
    {
        get
        {
            if (!_hasFrequencies)
                UnpackFrequencies();
            return new ReadOnlySpan<int>(_frequencies, _blockCount);
        }
    }

    /// <summary>The place of the current entry in its block.</summary>
    internal int BlockIndex => _index;

    /// <summary>Goes on by some entries within the current block, or to the first of the next one.</summary>
    /// <param name="count">How many, at least one, at most as many as are left in the block.</param>
    internal int Advance(int count)
    {
        _index += count - 1;
        return Next();
    }

    /// <summary>Goes to a place in the current block, or behind it to the first of the next one.</summary>
    internal int MoveTo(int index)
    {
        if (index >= _blockCount)
            return Advance(_blockCount - _index);
        _index = index;
        return Current = _entries[index];
    }

    /// <summary>Sets the bits of all entries of a list that has not been moved in.</summary>
    /// <param name="words">Bits of all entries of the index.</param>
    internal void AddTo(Span<ulong> words)
    {
        for (var target = 0; target <= _term.LastEntry; target = _blockLast + 1)
        {
            if (!FindBlock(target, out var isBitmap))
                return;
            if (isBitmap)
            {
                OrBitmap(words);
                continue;
            }

            foreach (var entry in BlockEntries)
                words[entry >> 6] |= 1UL << entry;
        }
    }

    /// <summary>Counts the entries of a list, which has not been moved in, whose bits are set.</summary>
    /// <param name="words">Bits of all entries of the index.</param>
    internal int CountIn(ReadOnlySpan<ulong> words)
    {
        var count = 0;
        for (var target = 0; target <= _term.LastEntry; target = _blockLast + 1)
        {
            if (!FindBlock(target, out var isBitmap))
                return count;
            if (isBitmap)
            {
                count += CountBitmap(words);
                continue;
            }

            foreach (var entry in BlockEntries)
                count += (int)(words[entry >> 6] >> entry) & 1;
        }

        return count;
    }

    /// <summary>Starts reading the list by blocks, together with another list; the cursor has not been moved.</summary>
    internal PairBlock BeginPair()
    {
        _pair ??= new PairBlock(this);
        _pair.Reset();
        return _pair;
    }

    /// <summary>No entry of the block that <see cref="FindBlock"/> found is less.</summary>
    internal int BlockFirst => _term.IsChunked ? _chunk.Before(_block) + 1 : _entries[0];

    /// <summary>The last entry of the block that <see cref="FindBlock"/> found.</summary>
    internal int BlockLast => _blockLast;

    /// <summary>How many entries the block that <see cref="FindBlock"/> found has.</summary>
    internal int BlockCount => _term.IsChunked ? _chunk.CountOf(_block) : _blockCount;

    /// <summary>
    /// Copies the block that <see cref="FindBlock"/> found as a bitmap; its bits count from <see cref="BlockFirst"/>
    /// on.
    /// </summary>
    /// <param name="words">Takes the words, at most 62.</param>
    /// <param name="ranks">Takes how many bits are set in the words before each.</param>
    /// <returns>How many words.</returns>
    /// <exception cref="IndexCorruptException">It has not as many bits as it has entries.</exception>
    internal int CopyBitmap(Span<ulong> words, Span<int> ranks)
    {
        var count = PostingLayout.BitmapWords(_chunk.Before(_block), _blockLast);
        var rank = 0;
        if (count < words.Length)
        {
            new ReadOnlySpan<ulong>(_chunk.Data(_block), count).CopyTo(words);
            for (var i = 0; i < count; i++)
            {
                ranks[i] = rank;
                rank += BitOperations.PopCount(words[i]);
            }
        }

        return rank == _chunk.CountOf(_block)
            ? count
            : throw Damaged("a bitmap has not as many bits as it has entries");
    }

    /// <summary>Unpacks the block that <see cref="FindBlock"/> found, if that left it as a bitmap.</summary>
    internal void UnpackBitmap()
    {
        if (_blockCount > 0)
            return;
        if (!_chunk.ReadEntries(_block, _entries))
            throw Damaged("a block does not end with the entry that its directory names");
        Enter(_block, _blockLast, _chunk.CountOf(_block));
    }

    /// <summary>Moves to the block with the target. A bitmap stays packed, and no entry is the current one.</summary>
    internal bool FindBlock(int target, out bool isBitmap)
    {
        isBitmap = false;
        if (target > _term.LastEntry)
            return false;
        if (_term.IsChunked && _record != null)
        {
            if (target > _chunkLast && !FindChunk(target))
                return false;
            var block = _chunk.FindBlock(Math.Max(_block, 0), target);
            isBitmap = _chunk.EntriesWidth(block) == PostingLayout.Bitmap;
            if (isBitmap)
            {
                (_block, _blockLast, _blockCount) = (block, _chunk.Last(block), 0);
                return true;
            }
        }

        return SkipToBlock(target);
    }

    private void OrBitmap(Span<ulong> set)
    {
        var first = _chunk.Before(_block) + 1;
        var source = (ulong*)_chunk.Data(_block);
        var words = PostingLayout.BitmapWords(first - 1, _blockLast);
        var (at, shift) = (first >> 6, first & 63);
        for (var i = 0; i < words; i++)
        {
            var word = Unsafe.ReadUnaligned<ulong>(source + i);
            set[at + i] |= word << shift;
            // Bits beyond the block's last entry are not set, so the carried bits lie within the set.
            if (shift != 0 && word >> (64 - shift) is var carried && carried != 0)
                set[at + i + 1] |= carried;
        }
    }

    private int CountBitmap(ReadOnlySpan<ulong> set)
    {
        var first = _chunk.Before(_block) + 1;
        var source = (ulong*)_chunk.Data(_block);
        var words = PostingLayout.BitmapWords(first - 1, _blockLast);
        var (at, shift, count) = (first >> 6, first & 63, 0);
        for (var i = 0; i < words; i++)
        {
            var word = Unsafe.ReadUnaligned<ulong>(source + i);
            count += BitOperations.PopCount((word << shift) & set[at + i]);
            if (shift != 0 && word >> (64 - shift) is var carried && carried != 0)
                count += BitOperations.PopCount(carried & set[at + i + 1]);
        }

        return count;
    }
}
