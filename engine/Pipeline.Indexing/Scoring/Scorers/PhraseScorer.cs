namespace Pipeline.Indexing;

/// <summary>
/// Entries in which terms stand at given distances, with BM25 on how often. Positions are decoded only where all terms
/// are, and, in a search for the best, where the terms' frequencies could make the entry one of them.
/// </summary>
internal sealed partial class PhraseScorer : Scorer
{
    private readonly PostingCursor[] _cursors; // one for each different term, the rarest first
    private readonly int[] _cursorOf,
        _offsets,
        _sameAs; // of each term of the phrase, by offset
    private readonly Bm25 _weight;
    private readonly FieldLengths _lengths;
    private readonly int _slop;
    private readonly int[] _counts,
        _next;
    private readonly int[][] _positions;
    private float _notMoreThan = -1,
        _stretchLimit;
    private int _stretchEnd = -1;

    /// <summary>Makes a scorer.</summary>
    /// <param name="cursors">A cursor with positions for each different term.</param>
    /// <param name="terms">
    /// Of each term of the phrase, which cursor it has and its place, in the order of places.
    /// </param>
    /// <param name="slop">How many moves are allowed.</param>
    /// <param name="weight">The phrase's weight.</param>
    /// <param name="lengths">The field's lengths.</param>
    public PhraseScorer(
        PostingCursor[] cursors,
        (int Cursor, int Offset)[] terms,
        int slop,
        Bm25 weight,
        FieldLengths lengths
    )
    {
        _cursors = [.. cursors];
        Array.Sort(_cursors, static (a, b) => a.Cost.CompareTo(b.Cost));
        (_cursorOf, _offsets, _sameAs) = (new int[terms.Length], new int[terms.Length], new int[terms.Length]);
        for (var i = 0; i < terms.Length; i++)
        {
            (_cursorOf[i], _offsets[i], _sameAs[i]) = (
                Array.IndexOf(_cursors, cursors[terms[i].Cursor]),
                terms[i].Offset,
                i - 1
            );
            while (_sameAs[i] >= 0 && terms[_sameAs[i]].Cursor != terms[i].Cursor)
                _sameAs[i]--;
        }

        (_slop, _weight, _lengths) = (slop, weight, lengths);
        (_counts, _next, _positions) = (
            new int[terms.Length],
            new int[terms.Length],
            new int[Math.Max(terms.Length, 1)][]
        );
        for (var i = 0; i < _positions.Length; i++)
            _positions[i] = new int[16];
    }

    public override long Cost => _cursors[0].Cost;

    public override float Limit => _weight.Limit;

    /// <summary>How often the current entry has the phrase.</summary>
    public float Frequency { get; private set; }

    public override float Score() => _weight.Score(Frequency, _lengths[Current]);

    public override int Next() => Current == End ? End : Current = Match(_cursors[0].Next());

    public override int SkipTo(int target) => target <= Current ? Current : Current = Match(_cursors[0].SkipTo(target));

    public override int BlockEnd(int target) => _cursors[0].BlockEnd(target);

    // A phrase is not more often in an entry than its rarest term there.
    public override float MaxScore(int from, int to)
    {
        var most = 0f;
        while (true)
        {
            var end = _cursors[0].BlockEnd(from);
            if (end == End)
                return most;
            most = Math.Max(most, _cursors[0].BlockMaxScore(_weight));
            if (end >= to)
                return most;
            from = end + 1;
        }
    }

    public override void PassOver(float notMoreThan) => _notMoreThan = notMoreThan;

    private int Match(int entry)
    {
        while (entry != End)
        {
            if (_notMoreThan >= 0)
            {
                if (entry > _stretchEnd)
                {
                    _stretchEnd = BlockEnd(entry);
                    _stretchLimit = MaxScore(entry, _stretchEnd);
                }

                if (_stretchLimit <= _notMoreThan)
                {
                    entry = _stretchEnd >= End - 1 ? End : _cursors[0].SkipTo(_stretchEnd + 1);
                    continue;
                }
            }

            var highest = entry;
            for (var i = 1; i < _cursors.Length; i++)
            {
                highest = _cursors[i].SkipTo(entry);
                if (highest > entry)
                    break;
            }

            if (highest > entry)
            {
                entry = _cursors[0].SkipTo(highest);
                continue;
            }

            if (CanCompete(entry) && (Frequency = CountPlaces()) > 0)
                return entry;
            entry = _cursors[0].Next();
        }

        return End;
    }

    private bool CanCompete(int entry)
    {
        if (_notMoreThan < 0)
            return true;
        var frequency = int.MaxValue;
        foreach (var cursor in _cursors)
            frequency = Math.Min(frequency, cursor.Frequency);
        return _weight.Score(frequency, _lengths[entry]) > _notMoreThan;
    }

    private float CountPlaces()
    {
        if (_slop == 0 && _offsets.Length == 2 && _cursors.Length == 2)
        {
            return PhraseMatching.CountPairs(
                _cursors[_cursorOf[0]].Positions(),
                _cursors[_cursorOf[1]].Positions(),
                _offsets[1] - _offsets[0]
            );
        }

        for (var t = 0; t < _offsets.Length; t++)
        {
            var found = _cursors[_cursorOf[t]].Positions();
            if (_positions[t].Length < found.Length)
                _positions[t] = new int[Math.Max(found.Length, _positions[t].Length * 2)];
            found.CopyTo(_positions[t]);
            _counts[t] = found.Length;
        }

        if (_slop > 0)
            return PhraseMatching.Sloppy(_positions, _counts, _offsets, _sameAs, _slop, _next);
        var begins = _positions[0].AsSpan(0, _counts[0]);
        foreach (ref var begin in begins)
            begin -= _offsets[0];
        for (var t = 1; t < _offsets.Length && begins.Length > 0; t++)
            begins = begins[..PhraseMatching.Keep(begins, _positions[t].AsSpan(0, _counts[t]), _offsets[t])];
        return begins.Length;
    }
}
