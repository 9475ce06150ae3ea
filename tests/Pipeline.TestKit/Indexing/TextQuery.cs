using System.Globalization;
using Pipeline.Indexing;

namespace Pipeline.TestKit.Indexing;

/// <summary>A query of workload Q2, a line of q2.tsv.</summary>
/// <param name="Kind">term, and, or, phrase, prefix, range or sort.</param>
/// <param name="Number">Its number within the kind.</param>
/// <param name="First">The first word, or the prefix.</param>
/// <param name="Second">The second word, where the kind has one.</param>
/// <param name="From">The first year of a range.</param>
/// <param name="To">The last year of a range.</param>
public sealed record TextQuery(string Kind, int Number, string First, string Second, int From, int To)
{
    private const string Field = "Extract";

    /// <summary>By what the query's hits are put in order.</summary>
    public static IReadOnlyList<SearchOrder> ByScore { get; } = new SearchOrder[] { SearchOrder.Score };

    /// <summary>The order of the kind sort.</summary>
    public static IReadOnlyList<SearchOrder> ByYear { get; } =
        new SearchOrder[] { new FieldOrder("Year", SortForm.Long, Descending: true) };

    /// <summary>The order of its hits.</summary>
    public IReadOnlyList<SearchOrder> Order => Kind == "sort" ? ByYear : ByScore;

    /// <summary>Reads q2.tsv.</summary>
    public static List<TextQuery> ReadAll(string file) =>
        [
            .. File.ReadLines(file)
                .Where(l => !l.StartsWith('#'))
                .Select(l => l.Split('\t'))
                .Select(f => new TextQuery(f[0], Parse(f[1]), f[2], f[3], Parse(f[4]), Parse(f[5]))),
        ];

    /// <summary>The query as the index takes it.</summary>
    public Query ToQuery() =>
        Kind switch
        {
            "and" => BooleanQuery.And(new TermQuery(Field, First), new TermQuery(Field, Second)),
            "or" => BooleanQuery.Or(new TermQuery(Field, First), new TermQuery(Field, Second)),
            "phrase" => new PhraseQuery(Field, First, Second),
            "prefix" => new PrefixQuery(Field, First),
            "range" => new BooleanQuery
            {
                Must = new Query[] { new TermQuery(Field, First) },
                Filter = new Query[] { new NumberRangeQuery("Year", From, To) },
            },
            _ => new TermQuery(Field, First),
        };

    private static int Parse(string text) => int.Parse(text, CultureInfo.InvariantCulture);
}
