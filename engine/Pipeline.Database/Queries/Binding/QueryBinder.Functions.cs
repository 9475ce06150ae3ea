using Pipeline.Database.Queries.Catalog;
using Pipeline.Database.Queries.Language.Lucene;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Indexing;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Queries.Binding;

internal sealed partial class QueryBinder
{
    private Query Function(CallSyntax call)
    {
        switch (call.Name)
        {
            case "exact":
                return Exact(call);
            case "boost":
                return new BoostQuery(Condition(call.Arguments[0]), Factor(call.Arguments[1]));
            case "search":
                return Search(call, slop: 0);
            case "proximity":
                return Proximity(call);
            case "fuzzy":
                return Fuzzy(call);
            case "lucene":
                return Lucene(call);
            case "intersect":
                return new Intersection(context).Of([.. call.Arguments.Select(Condition)]);
            case "moreLikeThis":
                return new SimilarDocuments(context, this).Of(call);
            case "spatial.within" or "spatial.intersects" or "spatial.disjoint" or "spatial.contains":
                return Spatial(call);
            case "startsWith" or "endsWith" or "regex" or "exists":
                return Pattern(call);
            default:
                throw context.Paths.Error(
                    call,
                    $"{call.Name}() is no condition",
                    "compare its value, as in id() = 'orders/1'"
                );
        }
    }

    private Query Exact(CallSyntax call)
    {
        var before = _exact;
        _exact = true;
        var query = Condition(call.Arguments[0]);
        _exact = before;
        return query;
    }

    private Query Pattern(CallSyntax call)
    {
        if (Field(call.Arguments[0]) is not { } field)
            return NoneQuery.Instance;
        if (call.Name == "exists")
            return new ExistsQuery(field.Name);
        var text = context.Text(call.Arguments[1], "what is looked for");
        if (call.Name == "regex")
            return new RegexQuery(field.Name, text);
        var part = _exact ? FieldTerms.Exact(text) : FieldTerms.Part(field, text);
        return Weigh(
            field,
            call.Name == "startsWith" ? new PrefixQuery(field.Name, part) : new SuffixQuery(field.Name, part)
        );
    }

    private Query Fuzzy(CallSyntax call)
    {
        if (call.Arguments[0] is not ComparisonSyntax { Operator: ComparisonOperator.Equal } comparison)
        {
            throw context.Paths.Error(
                call.Arguments[0],
                "fuzzy() takes a comparison with =",
                "write fuzzy(Name = 'jon', 0.5)"
            );
        }

        var similarity = context.Number(call.Arguments[1], "the similarity");
        if (similarity is not (>= 0 and <= 1))
            throw context.Parameter(call.Arguments[1], "the similarity is a number from 0 to 1");
        var text = context.Text(comparison.Right, "what is looked for");
        return Field(comparison.Left) is { } field ? Weigh(field, Fuzzy(field, text, similarity)) : NoneQuery.Instance;
    }

    /// <summary>Words that are like one, itself before the others.</summary>
    internal static Query Fuzzy(QueryField field, string text, double fuzziness)
    {
        var term = FieldTerms.Part(field, text);
        var edits = FuzzyQuery.EditsFor(fuzziness, text.EnumerateRunes().Count());
        var exact = new TermQuery(field.Name, term);
        return edits == 0 ? exact : new BooleanQuery { Should = [exact, new FuzzyQuery(field.Name, term, edits)] };
    }

    private Query Proximity(CallSyntax call)
    {
        if (call.Arguments[0] is not CallSyntax { Target: null, Name: "search" } search)
        {
            throw context.Paths.Error(
                call.Arguments[0],
                "proximity() takes search()",
                "write proximity(search(Text, 'new york'), 2)"
            );
        }

        var text = context.Text(search.Arguments[1], "what is searched for");
        if (text.AsSpan().IndexOfAny('*', '?') >= 0)
        {
            throw context.Parameter(
                search.Arguments[1],
                "Proximity search works only on simple string terms, not wildcard ones"
            );
        }

        if (text.Split(' ', StringSplitOptions.RemoveEmptyEntries).Length < 2)
            throw context.Parameter(search.Arguments[1], "Proximity search works only on multiple search terms");
        var slop = context.Number(call.Arguments[1], "the distance");
        return slop is >= 0 and <= int.MaxValue
            ? Search(search, (int)slop, isProximity: true)
            : throw context.Parameter(call.Arguments[1], "the distance is a number from 0");
    }

    private float Factor(ExpressionSyntax expression)
    {
        var factor = (float)context.Number(expression, "the factor of boost()");
        return float.IsFinite(factor) && factor >= 0
            ? factor
            : throw context.Parameter(expression, "the factor of boost() is a number from 0");
    }

    private QueryField? SearchField(ExpressionSyntax expression)
    {
        var path = context.Paths.Of(expression, "a field");
        return context.Field(expression, path, IndexFieldNames.Search(path));
    }

    private Query Lucene(CallSyntax call)
    {
        var text = context.Text(call.Arguments[1], "the text in Lucene's syntax");
        LuceneNode? node;
        try
        {
            node = LuceneParser.Parse(text);
        }
        catch (Language.InvalidQueryException error)
        {
            throw context.Paths.Error(
                call.Arguments[1],
                $"in Lucene's syntax, at {error.Line}:{error.Column} of the text, {error.Reason}",
                error.Suggestion,
                error.Kind
            );
        }

        return node is null ? NoneQuery.Instance : new LuceneBinder(context, this, call).Bind(node);
    }
}
