namespace Pipeline.Indexing;

/// <content>Looking ahead at blocks without unpacking them.</content>
public sealed unsafe partial class PostingCursor
{
    private PostingChunk _shallow;
    private int _shallowFirst;
    private int _shallowLast;
    private int _shallowBlock;

    /// <summary>
    /// The greatest frequency and the least length among the entries of the block that <see cref="BlockEnd"/> found
    /// last: bounds for what any of them can score. <see cref="int.MaxValue"/> stands for frequencies from 255 on in
    /// blocks, and from 65,535 on in small lists; lengths are counted to that.
    /// </summary>
    public (int MaxFrequency, int MinLength) BlockImpact
    {
        get
        {
            var (frequency, length) =
                _term.IsChunked && _shallowLast >= 0
                    ? BlockImpacts.Bounds(_shallow.Impacts(_shallowBlock))
                    : (_term.MaxFrequency, _term.MinLength);
            return (frequency == PostingLayout.MaxImpact ? int.MaxValue : frequency, length);
        }
    }

    /// <summary>No entry of the block that <see cref="BlockEnd"/> found last scores more by a weight.</summary>
    internal float BlockMaxScore(in Bm25 weight)
    {
        if (_term.IsChunked && _shallowLast >= 0)
            return BlockImpacts.MaxScore(_shallow.Impacts(_shallowBlock), weight);
        var (frequency, length) = BlockImpact;
        return weight.Score(frequency, length);
    }

    /// <summary>
    /// The last entry of the block in which the target would be, without going there:
    /// <see cref="EntryIterator.Current"/> stays.
    /// <see cref="EntryIterator.End"/> where the list ends before. Targets must not fall from call to call.
    /// </summary>
    public int BlockEnd(int target)
    {
        if (target > _term.LastEntry || _record == null)
            return End;
        if (!_term.IsChunked)
            return _term.LastEntry;
        if (target > _shallowLast || target < _shallowFirst)
        {
            if (target <= _chunkLast && _block >= 0 && target > _chunk.Before(0))
                (_shallow, _shallowFirst) = (_chunk, _chunk.Before(0) + 1);
            else
                TryFindChunk(target, out _shallow, out _shallowFirst);
            _shallowFirst = Math.Min(_shallowFirst, target);
            _shallowLast = _shallow.LastEntry;
            _shallowBlock = 0;
        }

        if (_shallow.Last(_shallowBlock) < target)
            _shallowBlock = _shallow.FindBlock(_shallowBlock, target);
        return _shallow.Last(_shallowBlock);
    }

    private void ResetShallow()
    {
        _shallow = default;
        _shallowFirst = 0;
        _shallowLast = -1;
        _shallowBlock = 0;
    }
}
