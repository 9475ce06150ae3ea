using Pipeline.Database.Queries.Catalog;
using Pipeline.Database.Queries.Demands;
using Pipeline.Database.Queries.Language;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Documents;
using Pipeline.Indexing;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Queries.Binding;

/// <summary>The context in which a query is bound: its tree, its parameters, the fields of its index.</summary>
internal sealed class QueryContext
{
    private readonly QueryParameters _parameters;
    private readonly Action<long>? _onHeld;

    internal QueryContext(
        QuerySyntax query,
        QueryRequest request,
        IOpenIndex index,
        Func<string, Document?> load,
        Func<string, CompareExchangeValue?> exchange,
        CancellationToken cancellationToken
    )
    {
        Query = query;
        Index = index;
        Load = load;
        Exchange = exchange;
        Search = request.Search;
        CancellationToken = cancellationToken;
        Paths = new QueryPaths(query);
        _parameters = request.Parameters;
        _onHeld = request.OnHeld;
    }

    internal QuerySyntax Query { get; }

    internal IOpenIndex Index { get; }

    internal QueryPaths Paths { get; }

    /// <summary>Reads a document of the query's snapshot.</summary>
    internal Func<string, Document?> Load { get; }

    /// <summary>Reads a compare-exchange value of the query's snapshot.</summary>
    internal Func<string, CompareExchangeValue?> Exchange { get; }

    /// <summary>How searches are run that binding itself needs.</summary>
    internal SearchOptions Search { get; }

    internal CancellationToken CancellationToken { get; }

    /// <summary>
    /// The value of a literal or parameter: null, a bool, long, double or string, a list of these, or a JSON object.
    /// </summary>
    internal object? Value(ExpressionSyntax expression) =>
        expression switch
        {
            LiteralSyntax literal => literal.Value,
            ParameterSyntax parameter => _parameters.TryGet(parameter.Name, out var value)
                ? Counted(value)
                : throw NoParameter(parameter),
            CallSyntax call when CompareExchangeTerm.Is(call) => CompareExchangeTerm.Of(
                Exchange(Text(call.Arguments[0], "the key"))
            ),
            FieldSyntax field => throw Paths.Error(
                field,
                $"'{field}' is a field where a value is expected",
                "write texts in quotes; fields are compared with each other in 'filter'"
            ),
            _ => throw Paths.Error(expression, $"a value or parameter is expected, not {expression}"),
        };

    private object? Counted(object? value)
    {
        CancellationToken.ThrowIfCancellationRequested();
        _onHeld?.Invoke(QueryParameters.BoundBytes(value));
        return value;
    }

    /// <summary>A value that is one: no list, no object.</summary>
    internal object? Scalar(ExpressionSyntax expression) =>
        Value(expression) is not (List<object?> or Json.BinaryValue) and var value
            ? value
            : throw Parameter(
                expression,
                "one value is expected, not a list or object",
                expression is ParameterSyntax p ? $"write in (${p.Name}) for a list" : null
            );

    internal string Text(ExpressionSyntax expression, string what) =>
        Value(expression) as string ?? throw Parameter(expression, $"{what} is a text, not {expression}");

    internal double Number(ExpressionSyntax expression, string what) =>
        Value(expression) switch
        {
            long integer => integer,
            double number => number,
            _ => throw Parameter(expression, $"{what} is a number, not {expression}"),
        };

    internal int Count(ExpressionSyntax? expression, int otherwise) =>
        expression is null ? otherwise
        : Value(expression) is long count and >= 0 ? (int)Math.Min(count, int.MaxValue)
        : throw Parameter(expression, $"a whole number from 0 is expected, not {expression}");

    /// <summary>The index field with the values of a path; null if the index does not have it yet.</summary>
    /// <param name="at">The expression in the query that names it.</param>
    /// <param name="path">The path.</param>
    /// <param name="preferred">The name under which an automatic index has the field in the required form.</param>
    /// <exception cref="InvalidQueryException">The index has no such field.</exception>
    internal QueryField? Field(ExpressionSyntax at, string path, string? preferred = null)
    {
        if (preferred is not null && Index.TryGetField(preferred, out var field))
            return Searchable(at, field);
        if (Index.TryGetField(path, out field) || Index.TryGetField(IndexFieldNames.Static(path), out field))
            return Searchable(at, field);
        if (Index.HasDynamicFields)
            return null;
        throw Paths.Error(
            at,
            $"the index '{Index.Name}' has no field '{path}'",
            Spelling.Suggest(path, Index.FieldNames.Where(n => !n.Contains('(')))
        );
    }

    internal InvalidQueryException Parameter(ExpressionSyntax at, string reason, string? suggestion = null) =>
        Paths.Error(at, reason, suggestion, QueryErrorKind.Parameter);

    internal InvalidQueryException NotSupported(ExpressionSyntax at, string reason, string? suggestion = null) =>
        Paths.Error(at, reason, suggestion, QueryErrorKind.NotSupported);

    private QueryField Searchable(ExpressionSyntax at, QueryField field) =>
        field.Options.Indexing != TermForm.No
            ? field
            : throw Paths.Error(
                at,
                $"the field '{field.Name}' of the index '{Index.Name}' is not searched",
                "its definition says indexing: no"
            );

    private InvalidQueryException NoParameter(ParameterSyntax parameter) =>
        Parameter(
            parameter,
            $"the parameter '${parameter.Name}' is not given",
            Spelling.Suggest(parameter.Name, _parameters.Names)
        );
}
