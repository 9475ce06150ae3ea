using System.Text;
using Pipeline.Indexing.Analysis;

namespace Pipeline.Indexing.Suggestions;

/// <summary>
/// Picks the most significant terms of a document's texts: frequent in them, and in few entries of the index (tf · idf,
/// as Lucene's MoreLikeThis). Texts are added first, then the terms picked. For one thread.
/// </summary>
public sealed class MoreLikeThis(MoreLikeThisOptions options)
{
    private readonly TokenBuffer _buffer = new();
    private readonly Dictionary<string, FieldTerms> _fields = new(StringComparer.Ordinal);

    /// <summary>How many entries of the index have a term, in a field.</summary>
    internal delegate int DocumentFrequency(string field, ReadOnlySpan<byte> term);

    /// <summary>Adds a text of a field, read by its analyzer.</summary>
    public void Add(string field, Analyzer analyzer, ReadOnlySpan<byte> text)
    {
        if (options.Fields is { } fields && !fields.Contains(field))
            return;
        if (!_fields.TryGetValue(field, out var terms))
            _fields.Add(field, terms = new FieldTerms());
        foreach (var token in analyzer.Tokens(text, _buffer))
        {
            if (terms.Tokens++ >= options.MaximumNumberOfTokensParsed)
                return;
            if (!IsNoise(token.Term))
                terms.Count(token.Term);
        }
    }

    /// <summary>The terms of the query, the most significant first.</summary>
    /// <param name="reader">The index that the query is for.</param>
    /// <returns>At most <see cref="MoreLikeThisOptions.MaximumQueryTerms"/>.</returns>
    public IReadOnlyList<MoreLikeThisTerm> Pick(IndexReader reader) =>
        Pick(
            reader.LiveCount,
            (field, term) =>
                reader.TryGetField(field, out var known) && reader.TryGetTerm(known, term, out var info)
                    ? info.DocumentFrequency
                    : 0
        );

    /// <summary>The query for entries with at least one of the picked terms; none for no terms.</summary>
    public static Query ToQuery(IReadOnlyList<MoreLikeThisTerm> terms) =>
        terms.Count == 0 ? NoneQuery.Instance : BooleanQuery.Or([.. terms.Select(Clause)]);

    internal IReadOnlyList<MoreLikeThisTerm> Pick(long entries, DocumentFrequency documentFrequency)
    {
        var most = options.MaximumDocumentFrequencyPercentage is { } percent
            ? entries * percent / 100
            : options.MaximumDocumentFrequency;
        var best = new PriorityQueue<MoreLikeThisTerm, double>();
        foreach (var (field, terms) in _fields)
        {
            foreach (var (term, count) in terms.Counts)
            {
                if (count < options.MinimumTermFrequency)
                    continue;
                var frequency = documentFrequency(field, term);
                if (frequency == 0 || frequency < options.MinimumDocumentFrequency || frequency > most)
                    continue;
                var score = count * (Math.Log((double)entries / (frequency + 1)) + 1);
                var picked = new MoreLikeThisTerm(field, term, (float)score);
                if (best.Count < options.MaximumQueryTerms)
                    best.Enqueue(picked, score);
                else
                    best.EnqueueDequeue(picked, score);
            }
        }

        var all = best
            .UnorderedItems.Select(i => i.Element)
            .OrderByDescending(t => t.Weight)
            .ThenBy(t => t.Field, StringComparer.Ordinal)
            .ThenBy(t => Encoding.UTF8.GetString(t.Term.Span), StringComparer.Ordinal)
            .ToList();
        return
        [
            .. all.Select(t => t with { Weight = options.Boost ? options.BoostFactor * t.Weight / all[0].Weight : 1 }),
        ];
    }

    private static Query Clause(MoreLikeThisTerm term)
    {
        var query = new TermQuery(term.Field, term.Term);
        return term.Weight == 1 ? query : new BoostQuery(query, term.Weight);
    }

    private bool IsNoise(ReadOnlySpan<byte> term)
    {
        var length = Encoding.UTF8.GetCharCount(term);
        return (options.MinimumWordLength > 0 && length < options.MinimumWordLength)
            || (options.MaximumWordLength > 0 && length > options.MaximumWordLength)
            || options.StopWords?.Contains(term) == true;
    }

    /// <summary>The terms of a field's texts with their numbers.</summary>
    private sealed class FieldTerms
    {
        private readonly Dictionary<byte[], int>.AlternateLookup<ReadOnlySpan<byte>> _counts = new Dictionary<
            byte[],
            int
        >(TermComparer.Instance).GetAlternateLookup<ReadOnlySpan<byte>>();

        public int Tokens { get; set; }

        public Dictionary<byte[], int> Counts => _counts.Dictionary;

        public void Count(ReadOnlySpan<byte> term) =>
            _counts[term] = _counts.TryGetValue(term, out var count) ? count + 1 : 1;
    }
}
