using Pipeline.Indexing.Analysis;

namespace Pipeline.Indexing.Highlighting;

/// <summary>
/// What a query looks for in a field, as terms of the field's analyzer: single terms, kinds of terms (prefixes and
/// patterns) and phrases. The n-th of them that is added has the number n, which picks its tag. For one thread at a
/// time.
/// </summary>
public sealed class HighlightTerms
{
    private readonly Dictionary<byte[], List<int>>.AlternateLookup<ReadOnlySpan<byte>> _words = new Dictionary<
        byte[],
        List<int>
    >(TermComparer.Instance).GetAlternateLookup<ReadOnlySpan<byte>>();

    private readonly List<(int Number, TermPredicate Matches)> _kinds = [];
    private readonly List<HighlightPhrase> _phrases = [];

    /// <summary>Whether a term is of a kind that is looked for.</summary>
    public delegate bool TermPredicate(ReadOnlySpan<byte> term);

    /// <summary>How many were added.</summary>
    public int Count { get; private set; }

    internal IReadOnlyList<HighlightPhrase> Phrases => _phrases;

    /// <summary>The terms, patterns and phrases of a query in a field, without those that must not match.</summary>
    public static HighlightTerms Of(Query query, string field)
    {
        var terms = new QueryTerms(field);
        terms.Visit(query);
        return terms.Terms;
    }

    /// <summary>Adds a term.</summary>
    public void AddTerm(ReadOnlySpan<byte> term) => AddWord(term, Count++);

    /// <summary>Adds all terms that begin with a prefix.</summary>
    public void AddPrefix(ReadOnlySpan<byte> prefix)
    {
        var bytes = prefix.ToArray();
        AddKind(term => term.StartsWith(bytes));
    }

    /// <summary>Adds all terms of a kind.</summary>
    public void AddKind(TermPredicate matches) => _kinds.Add((Count++, matches));

    /// <summary>
    /// Adds a phrase: terms at places relative to each other, which may be moved by slop positions in all. Its terms
    /// are marked only where they stand together.
    /// </summary>
    public void AddPhrase(IReadOnlyList<(ReadOnlyMemory<byte> Term, int Position)> terms, int slop = 0)
    {
        if (terms.Count == 1)
            AddTerm(terms[0].Term.Span);
        else if (terms.Count > 1)
            _phrases.Add(new HighlightPhrase(Count++, terms, slop));
    }

    /// <summary>The numbers of the single terms and kinds that a term is one of.</summary>
    internal void Find(ReadOnlySpan<byte> term, List<int> numbers)
    {
        numbers.Clear();
        if (_words.TryGetValue(term, out var known))
            numbers.AddRange(known);
        foreach (var (number, matches) in _kinds)
        {
            if (matches(term))
                numbers.Add(number);
        }
    }

    private void AddWord(ReadOnlySpan<byte> term, int number)
    {
        if (!_words.TryGetValue(term, out var numbers))
            _words[term] = numbers = [];
        numbers.Add(number);
    }
}
