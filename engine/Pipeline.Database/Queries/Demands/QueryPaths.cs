using Pipeline.Database.Queries.Language;
using Pipeline.Database.Queries.Language.Syntax;

namespace Pipeline.Database.Queries.Demands;

/// <summary>The meaning of the paths of one query.</summary>
internal sealed class QueryPaths(QuerySyntax query)
{
    /// <summary>
    /// The path in the found document that an expression names: a field, or a string where only a field can stand.
    /// </summary>
    /// <exception cref="InvalidQueryException">It names none.</exception>
    internal string Of(ExpressionSyntax expression, string what) =>
        expression switch
        {
            FieldSyntax field => Of(field),
            LiteralSyntax { Value: string { Length: > 0 } name } => name,
            _ => throw Error(
                expression,
                $"{what} is expected, not {expression}",
                expression is LiteralSyntax or ParameterSyntax ? "the field stands first" : null
            ),
        };

    /// <summary>The path without the alias of the found document.</summary>
    internal string Of(FieldSyntax field)
    {
        var first = field.Segments[0].Name;
        if (query.Load.FirstOrDefault(l => l.Alias == first) is { } load)
        {
            throw Error(
                field,
                $"'{load.Alias}' is loaded after the search",
                "put conditions on loaded documents in 'filter'"
            );
        }

        if (query.From.Alias != first)
            return field.Path;
        return field.Segments.Count > 1
            ? field.Path[(first.Length + 1)..]
            : throw Error(field, $"'{first}' is the whole document", $"name a field of it: {first}.Name");
    }

    /// <summary>Whether an expression is the document's id: <c>id()</c>, <c>id(o)</c>.</summary>
    internal bool IsId(ExpressionSyntax expression) =>
        expression is CallSyntax { Target: null, Name: "id" } call
        && (
            call.Arguments.Count == 0
            || call.Arguments[0] is FieldSyntax { Segments: [var alias] } && alias.Name == query.From.Alias
                ? true
                : throw Error(call, $"{call} is not the id of the searched document", "write id()")
        );

    internal InvalidQueryException Error(
        ExpressionSyntax at,
        string reason,
        string? suggestion = null,
        QueryErrorKind kind = QueryErrorKind.Meaning
    ) => new(kind, query.Text, at.Span, reason, suggestion);
}
