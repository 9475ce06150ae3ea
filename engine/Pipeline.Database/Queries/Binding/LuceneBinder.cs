using System.Globalization;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Database.Queries.Language.Lucene;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Indexing;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Queries.Binding;

/// <summary>
/// Binds a text in Lucene's syntax to a query of the index. The fields that it names must have the same names in the
/// index.
/// </summary>
internal sealed class LuceneBinder(QueryContext context, QueryBinder binder, CallSyntax call)
{
    /// <summary>Returns the query for a tree; null if the analyzer drops all of it.</summary>
    internal Query Bind(LuceneNode node)
    {
        var path = context.Paths.Of(call.Arguments[0], "a field");
        return context.Field(call.Arguments[0], path, IndexFieldNames.Search(path)) is { } field
            ? Bind(node, field)
            : NoneQuery.Instance;
    }

    private Query Bind(LuceneNode node, QueryField field)
    {
        if (node.Field is { } name)
        {
            if (context.Field(call.Arguments[1], name, IndexFieldNames.Search(name)) is not { } named)
                return NoneQuery.Instance;
            field = named;
        }

        var query = node switch
        {
            LuceneAll => AllQuery.Instance,
            LuceneBoolean boolean => Boolean(boolean, field),
            LucenePhrase phrase => QueryBinder.Words(field, phrase.Text, phrase.Slop),
            LuceneRange range => Range(range, field),
            LuceneTerm term => Term(term, field),
            _ => throw new ArgumentOutOfRangeException(
                nameof(node),
                node.GetType().Name,
                "The node is none of Lucene's syntax."
            ),
        };
        if (node is not (LuceneAll or LuceneBoolean))
            query = binder.Weigh(field, query);
        return node.Boost == 1 ? query : new BoostQuery(query, (float)node.Boost);
    }

    // A clause is ignored if the analyzer leaves no term of it (a stop word).
    private Query Boolean(LuceneBoolean boolean, QueryField field)
    {
        List<(LuceneOccurrence Occurrence, Query Query)> clauses =
        [
            .. boolean.Clauses.Select(c => (c.Occurrence, Bind(c.Node, field))).Where(c => c.Item2 is not NoneQuery),
        ];
        if (clauses.Count == 0)
            return NoneQuery.Instance;
        IReadOnlyList<Query> Of(LuceneOccurrence occurrence) =>
            [.. clauses.Where(c => c.Occurrence == occurrence).Select(c => c.Query)];
        return new BooleanQuery
        {
            Must = Of(LuceneOccurrence.Must),
            Should = Of(LuceneOccurrence.Should),
            MustNot = Of(LuceneOccurrence.MustNot),
        };
    }

    private static Query Term(LuceneTerm term, QueryField field) =>
        term.Kind switch
        {
            LuceneTermKind.Wildcard => QueryBinder.Wildcard(field, term.Text),
            LuceneTermKind.Regex => new RegexQuery(field.Name, "^(?:" + term.Text + ")$"),
            LuceneTermKind.Fuzzy => QueryBinder.Fuzzy(field, term.Text, term.Fuzziness ?? 2),
            // Texts that are searched by words have their numbers as words.
            _ when field.Options.Indexing != TermForm.Search && IsNumber(term.Text, out var key) => new BooleanQuery
            {
                Should = [QueryBinder.Words(field, term.Text, 0), new NumberRangeQuery(field.Name, key, key)],
            },
            _ => QueryBinder.Words(field, term.Text, 0),
        };

    /// <summary>Between two numbers, matches the field's numbers; otherwise its terms.</summary>
    private Query Range(LuceneRange range, QueryField field)
    {
        bool isLow = IsNumber(range.Low, out var low),
            isHigh = IsNumber(range.High, out var high);
        if ((isLow || range.Low is null) && (isHigh || range.High is null) && (isLow || isHigh))
        {
            return new NumberRangeQuery(
                field.Name,
                isLow ? low : NumericKey.Min,
                isHigh ? high : NumericKey.Max,
                range.IncludesLow,
                range.IncludesHigh
            );
        }

        return range is { Low: null, High: null }
            ? new ExistsQuery(field.Name)
            : binder.Range(field, range.Low, range.High, range.IncludesLow, range.IncludesHigh, call.Arguments[1]);
    }

    private static bool IsNumber(string? text, out NumericKey key)
    {
        key = default;
        if (text is null)
            return false;
        if (long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var integer))
        {
            key = NumericKey.From(integer);
            return true;
        }

        return double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out var number)
            && double.IsFinite(number)
            && NumericKey.TryFrom(number, out key);
    }
}
