namespace Pipeline.Indexing.Suggestions;

/// <summary>
/// The similarity of one word with many others. For one thread; it keeps its memory from word to word.
/// </summary>
internal sealed class WordSimilarity
{
    private readonly SuggestionDistance _distance;
    private readonly int[] _word;
    private readonly int[] _pairBefore; // the character before each one: 0 before the first
    private int[] _row = [];
    private int[] _next = [];
    private float[] _scoreRow = [];
    private float[] _scoreNext = [];
    private bool[] _matched = [];

    /// <param name="distance">How it is measured.</param>
    /// <param name="word">The code points of the word.</param>
    public WordSimilarity(SuggestionDistance distance, ReadOnlySpan<int> word)
    {
        _distance = distance;
        _word = word.ToArray();
        _pairBefore = [0, .. word];
    }

    /// <summary>
    /// The similarity with another word; below <paramref name="least"/> it may be any number below that.
    /// </summary>
    public float With(ReadOnlySpan<int> other, float least)
    {
        var longer = Math.Max(_word.Length, other.Length);
        if (longer == 0)
            return 1;
        if (_word.Length == 0 || other.Length == 0)
            return 0;
        return _distance switch
        {
            SuggestionDistance.JaroWinkler => JaroWinkler(other),
            SuggestionDistance.NGram => NGram(other, longer),
            _ => Levenshtein(other, longer, least),
        };
    }

    /// <summary>
    /// The table of edits row by row, given up where no cell of a row can lead to the least similarity.
    /// </summary>
    private float Levenshtein(ReadOnlySpan<int> other, int longer, float least)
    {
        if (1 - ((float)Math.Abs(_word.Length - other.Length) / longer) < least)
            return 0;
        Room(ref _row);
        Room(ref _next);
        for (var i = 0; i <= _word.Length; i++)
            _row[i] = i;
        for (var j = 0; j < other.Length; j++)
        {
            var (row, next) = (_row, _next);
            var best = next[0] = j + 1;
            for (var i = 0; i < _word.Length; i++)
            {
                var edits = Math.Min(Math.Min(row[i + 1], next[i]) + 1, row[i] + (_word[i] == other[j] ? 0 : 1));
                next[i + 1] = edits;
                best = Math.Min(best, edits);
            }

            if (1 - ((float)best / longer) < least)
                return 0;
            (_row, _next) = (next, row);
        }

        return 1 - ((float)_row[_word.Length] / longer);
    }

    /// <summary>
    /// Characters are in common where they are equal and not farther apart than half the longer word less one. The
    /// bonus is that of Lucene's JaroWinklerDistance: the whole common beginning counts, each character 0.1, or less in
    /// words of more than ten.
    /// </summary>
    private float JaroWinkler(ReadOnlySpan<int> other)
    {
        ReadOnlySpan<int> word = _word;
        var shorter = word.Length <= other.Length ? word : other;
        var longer = word.Length <= other.Length ? other : word;
        var window = Math.Max((longer.Length / 2) - 1, 0);
        if (_matched.Length < longer.Length)
            _matched = new bool[longer.Length];
        Room(ref _row);
        Array.Clear(_matched, 0, longer.Length);
        var inCommon = 0;
        for (var i = 0; i < shorter.Length; i++)
        {
            for (var j = Math.Max(i - window, 0); j <= Math.Min(i + window, longer.Length - 1); j++)
            {
                if (_matched[j] || shorter[i] != longer[j])
                    continue;
                _matched[j] = true;
                _row[inCommon++] = shorter[i];
                break;
            }
        }

        if (inCommon == 0)
            return 0;
        var (outOfOrder, next) = (0, 0);
        for (var j = 0; j < longer.Length; j++)
        {
            if (_matched[j] && longer[j] != _row[next++])
                outOfOrder++;
        }

        float common = inCommon;
        var jaro = ((common / word.Length) + (common / other.Length) + ((common - (outOfOrder / 2)) / common)) / 3;
        var beginning = shorter.CommonPrefixLength(longer);
        return jaro < 0.7f ? jaro : jaro + (Math.Min(0.1f, 1f / longer.Length) * beginning * (1 - jaro));
    }

    /// <summary>
    /// Edits of pairs (each character with the one before it, the first with none); two pairs are apart by the share of
    /// their characters that differ.
    /// </summary>
    private float NGram(ReadOnlySpan<int> other, int longer)
    {
        if (_word.Length == 1 || other.Length == 1)
            return (_word[0] == other[0] ? 1f : 0f) / longer;
        if (_scoreRow.Length <= _word.Length)
            (_scoreRow, _scoreNext) = (new float[_word.Length + 1], new float[_word.Length + 1]);
        for (var i = 0; i <= _word.Length; i++)
            _scoreRow[i] = i;
        for (var j = 0; j < other.Length; j++)
        {
            var before = j == 0 ? 0 : other[j - 1];
            _scoreNext[0] = j + 1;
            for (var i = 0; i < _word.Length; i++)
            {
                // Two first characters have nothing before them, which is neither agreement nor difference.
                var bothFirst = i == 0 && j == 0;
                var different = (_word[i] == other[j] ? 0 : 1) + (bothFirst || _pairBefore[i] == before ? 0 : 1);
                var apart = (float)different / (bothFirst ? 1 : 2);
                _scoreNext[i + 1] = Math.Min(Math.Min(_scoreNext[i], _scoreRow[i + 1]) + 1, _scoreRow[i] + apart);
            }

            (_scoreRow, _scoreNext) = (_scoreNext, _scoreRow);
        }

        return 1 - (_scoreRow[_word.Length] / longer);
    }

    private void Room(ref int[] row)
    {
        if (row.Length <= _word.Length)
            row = new int[_word.Length + 1];
    }
}
