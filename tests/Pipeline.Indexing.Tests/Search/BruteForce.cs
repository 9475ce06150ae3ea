using System.Text;
using System.Text.RegularExpressions;
using Xunit;

namespace Pipeline.Indexing.Tests.Search;

/// <summary>Evaluates a query entry by entry from its definition, with BM25 in double precision.</summary>
internal sealed class BruteForce(SearchFixture fixture)
{
    private readonly Dictionary<(string, string), double> _idfs = [];
    private readonly double _entries = fixture.Live.Values.Count(d => d.Texts.Length > 0);
    private readonly double _average = fixture
        .Live.Values.Where(d => d.Texts.Length > 0)
        .Select(d => (double)d.Length)
        .DefaultIfEmpty(0)
        .Average();

    /// <summary>The matching entries with their scores.</summary>
    public Dictionary<int, double> Run(Query query)
    {
        var found = new Dictionary<int, double>();
        foreach (var (entry, document) in fixture.Live)
        {
            if (Score(query, document) is { } score)
                found.Add(entry, score);
        }

        return found;
    }

    private double? Score(Query query, SearchDocument d)
    {
        switch (query)
        {
            case AllQuery:
                return 1;
            case NoneQuery:
                return null;
            case TermQuery { Field: "Text" } q:
                return Weigh([Text(q.Term)], d.Positions(Text(q.Term)).Count, d);
            case TermQuery q:
                // Fields that are not analysed have a frequency and a length of 1 and no average: f / (f + k1 * (1 -
                // b)).
                return Terms(q.Field, d).Contains(Text(q.Term)) ? Idf("Tag", Text(q.Term)) * Saturation(1, 0, 1) : null;
            case PhraseQuery q:
                return Phrase(q, d);
            case BooleanQuery q:
                return Boolean(q, d);
            case BoostQuery q:
                return Score(q.Inner, d) * q.Factor;
            case ConstantScoreQuery q:
                return Score(q.Inner, d) is null ? null : q.Score;
            case InQuery q:
                return One(q.Terms.Any(t => Terms(q.Field, d).Contains(Text(t))));
            case AllInQuery q:
                return One(q.Terms.All(t => Terms(q.Field, d).Contains(Text(t))));
            case PrefixQuery q:
                return One(Terms(q.Field, d).Any(t => t.StartsWith(Text(q.Prefix), StringComparison.Ordinal)));
            case SuffixQuery q:
                return One(Terms(q.Field, d).Any(t => t.EndsWith(Text(q.Suffix), StringComparison.Ordinal)));
            case WildcardQuery q:
                return One(
                    Terms(q.Field, d)
                        .Any(t =>
                            Regex.IsMatch(
                                t,
                                "^" + Regex.Escape(q.Pattern).Replace("\\*", ".*").Replace("\\?", ".") + "$"
                            )
                        )
                );
            case RegexQuery q:
                return One(Terms(q.Field, d).Any(t => Regex.IsMatch(t, q.Pattern)));
            case TermRangeQuery q:
                return One(Terms(q.Field, d).Any(t => Within(t, q)));
            case NumberRangeQuery { Field: "Number" } q:
                return One(d.Numbers.Any(n => Within(NumericKey.From(n), q)));
            case NumberRangeQuery q:
                return One(d.Prices.Any(p => NumericKey.TryFrom(p, out var key) && Within(key, q)));
            case ExistsQuery q:
                return One(Exists(q.Field, d));
            case NullQuery:
                return One(d.Tags.Contains(null));
            case SpatialQuery { Relation: SpatialRelation.Disjoint } q:
                return One(d.Points.Length > 0 && !d.Points.Any(p => Holds(q.Shape, p)));
            case SpatialQuery q:
                return One(d.Points.Any(p => Holds(q.Shape, p)));
            default:
                throw new NotSupportedException(query.ToString());
        }
    }

    private double? Boolean(BooleanQuery q, SearchDocument d)
    {
        var least = q.MinimumShouldMatch ?? (q.Must.Count + q.Filter.Count > 0 || q.Should.Count == 0 ? 0 : 1);
        if (q.Must.Count + q.Filter.Count + q.Should.Count + q.MustNot.Count == 0)
            return null;
        var must = q.Must.Select(m => Score(m, d)).ToList();
        var should = q.Should.Select(s => Score(s, d)).OfType<double>().ToList();
        if (
            must.Contains(null)
            || q.Filter.Any(f => Score(f, d) is null)
            || q.MustNot.Any(n => Score(n, d) is not null)
            || should.Count < least
        )
        {
            return null;
        }

        return must.Sum() + should.Sum();
    }

    private double? Phrase(PhraseQuery q, SearchDocument d)
    {
        var places = Places([.. q.Terms.Select(t => (Text(t.Term), t.Position))], q.Slop, d);
        return Weigh([.. q.Terms.Select(t => Text(t.Term)).Distinct()], places, d);
    }

    // For an exact phrase the number of beginnings; for a sloppy one whether there is a choice of different positions
    // that is near enough (its score is not compared).
    private static double Places((string Term, int Offset)[] terms, int slop, SearchDocument d)
    {
        if (slop == 0)
        {
            return d.Positions(terms[0].Term)
                .Count(p => terms.All(t => d.Positions(t.Term).Contains(p - terms[0].Offset + t.Offset)));
        }

        return Choose(0, int.MaxValue, int.MinValue, []) ? 1 : 0;

        bool Choose(int term, int least, int most, HashSet<int> used)
        {
            if (term == terms.Length)
                return true;
            foreach (var p in d.Positions(terms[term].Term))
            {
                var (low, high) = (Math.Min(least, p - terms[term].Offset), Math.Max(most, p - terms[term].Offset));
                if (high - low > slop || !used.Add(p))
                    continue;
                if (Choose(term + 1, low, high, used))
                    return true;
                used.Remove(p);
            }

            return false;
        }
    }

    private double? Weigh(string[] terms, double frequency, SearchDocument d) =>
        frequency == 0 ? null : terms.Sum(t => Idf("Text", t)) * Saturation(frequency, d.Length, _average);

    private static double Saturation(double frequency, double length, double average) =>
        frequency / (frequency + 1.2 * (1 - 0.75 + 0.75 * length / average));

    private double Idf(string fieldName, string term)
    {
        if (_idfs.TryGetValue((fieldName, term), out var known))
            return known;
        Assert.True(fixture.Reader.TryGetField(fieldName, out var field));
        Assert.True(fixture.Reader.TryGetTerm(field, Encoding.UTF8.GetBytes(term), out var info));
        var entries = fieldName == "Text" ? _entries : fixture.Reader.GetStatistics(field).Entries;
        var found = Math.Min(entries, info.DocumentFrequency);
        return _idfs[(fieldName, term)] = Math.Log(1 + (entries - found + 0.5) / (found + 0.5));
    }

    private static IEnumerable<string> Terms(string field, SearchDocument d) =>
        field == "Text" ? d.Texts.SelectMany(t => t) : d.Tags.OfType<string>();

    private static bool Exists(string field, SearchDocument d) =>
        field switch
        {
            "Text" => d.Texts.Length > 0,
            "Tag" => d.Tags.Length > 0,
            "Number" => d.Numbers.Length > 0,
            "Price" => d.Prices.Length > 0,
            "Place" => d.Points.Length > 0,
            _ => false,
        };

    private static bool Within(string term, TermRangeQuery q)
    {
        var (low, high) = (
            q.Low is { } l ? string.CompareOrdinal(term, Text(l)) : 1,
            q.High is { } h ? string.CompareOrdinal(term, Text(h)) : -1
        );
        return (q.IncludeLow ? low >= 0 : low > 0) && (q.IncludeHigh ? high <= 0 : high < 0);
    }

    private static bool Within(NumericKey key, NumberRangeQuery q) =>
        (q.IncludeLow ? key >= q.Low : key > q.Low) && (q.IncludeHigh ? key <= q.High : key < q.High);

    private static bool Holds(Shape shape, (double Latitude, double Longitude) p)
    {
        // What the index knows of a point is its code.
        var (latitude, longitude) = PointCode.ToPoint(PointCode.From(p.Latitude, p.Longitude));
        return shape.Contains(latitude, longitude);
    }

    private static double? One(bool matches) => matches ? 1 : null;

    private static string Text(ReadOnlyMemory<byte> term) => Encoding.UTF8.GetString(term.Span);
}
