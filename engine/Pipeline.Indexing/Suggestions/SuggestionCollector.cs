using System.Text;

namespace Pipeline.Indexing.Suggestions;

/// <summary>
/// Is shown the terms of a dictionary and keeps those that are most similar to a word. For one thread; allocates for
/// terms that are kept only.
/// </summary>
internal sealed class SuggestionCollector
{
    private readonly SuggestionOptions _options;
    private readonly WordSimilarity _similarity;
    private readonly byte[] _word;
    private readonly int _length; // of the word, in code points

    /// <summary>The kept ones, the worst first to go.</summary>
    private readonly PriorityQueue<Suggestion, (float Similarity, int Popularity)> _kept = new();
    private int[] _codePoints = new int[64];

    /// <param name="word">The word in UTF-8, in the form of the field's terms (lower-cased if they are).</param>
    /// <param name="options">Accuracy, number, measure.</param>
    public SuggestionCollector(ReadOnlySpan<byte> word, SuggestionOptions options)
    {
        options.Validate();
        _options = options;
        _word = word.ToArray();
        var codePoints = Decode(word);
        _length = codePoints.Length;
        _similarity = new WordSimilarity(options.Distance, codePoints);
    }

    /// <summary>The word.</summary>
    public ReadOnlySpan<byte> Word => _word;

    /// <summary>
    /// Whether no term with more than this many edits can still be kept. At equal distance, insertions score highest.
    /// </summary>
    public bool IsFullWithin(int edits) =>
        _kept.Count == _options.PageSize
        && _kept.TryPeek(out var worst, out _)
        && worst.Similarity > 1 - ((float)(edits + 1) / (_length + edits + 1));

    /// <summary>
    /// Shows the term that a cursor is on. Only if it is similar does the dictionary have to say in how many entries it
    /// is.
    /// </summary>
    public void Offer(TermCursor cursor)
    {
        if (IsSimilar(cursor.Term, out var similarity))
            Keep(cursor.Term, similarity, cursor.DocumentFrequency);
    }

    /// <summary>Shows a term; the word itself is passed over, and so is one that is kept already.</summary>
    public void Offer(ReadOnlySpan<byte> term, int popularity)
    {
        if (IsSimilar(term, out var similarity))
            Keep(term, similarity, popularity);
    }

    /// <summary>
    /// The kept terms in the order of <see cref="SuggestionOptions.SortMode"/>; where all else is equal, by the
    /// alphabet.
    /// </summary>
    public IReadOnlyList<Suggestion> ToList()
    {
        var all = _kept.UnorderedItems.Select(i => i.Element);
        var sorted =
            _options.SortMode == SuggestionSortMode.Popularity
                ? all.OrderByDescending(s => s.Popularity).ThenByDescending(s => s.Similarity)
                : all.OrderByDescending(s => s.Similarity).ThenByDescending(s => s.Popularity);
        return [.. sorted.ThenBy(s => s.Term, StringComparer.Ordinal)];
    }

    /// <summary>
    /// Whether a term may be kept: once the page is full, only one that is at least as similar as the worst on it.
    /// </summary>
    private bool IsSimilar(ReadOnlySpan<byte> term, out float similarity)
    {
        var least =
            _kept.Count == _options.PageSize && _kept.TryPeek(out var worst, out _)
                ? worst.Similarity
                : _options.Accuracy;
        similarity = term.SequenceEqual(_word) ? -1 : _similarity.With(Decode(term), least);
        return similarity >= least;
    }

    private void Keep(ReadOnlySpan<byte> term, float similarity, int popularity)
    {
        var text = Encoding.UTF8.GetString(term);
        foreach (var (kept, _) in _kept.UnorderedItems)
        {
            if (kept.Term == text)
                return;
        }

        if (_kept.Count == _options.PageSize)
        {
            _kept.TryPeek(out _, out var worst);
            if ((similarity, popularity).CompareTo(worst) <= 0)
                return;
            _kept.Dequeue();
        }

        _kept.Enqueue(new Suggestion(text, similarity, popularity), (similarity, popularity));
    }

    private ReadOnlySpan<int> Decode(ReadOnlySpan<byte> text)
    {
        if (_codePoints.Length < text.Length)
            _codePoints = new int[text.Length * 2];
        int count = 0,
            at = 0;
        while (at < text.Length)
        {
            if (text[at] < 0x80)
            {
                _codePoints[count++] = text[at++];
                continue;
            }

            Rune.DecodeFromUtf8(text[at..], out var rune, out var length);
            _codePoints[count++] = rune.Value;
            at += length;
        }

        return _codePoints.AsSpan(0, count);
    }
}
