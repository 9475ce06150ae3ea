using Pipeline.Database.Queries.Language;
using Pipeline.Database.Queries.Language.Syntax;

namespace Pipeline.Database.Queries.Results;

/// <summary>Refuses unsupported queries before anything is opened.</summary>
internal static class QueryCheck
{
    private static readonly string[] Includes = ["timings", "explanations", "highlight", "cmpxchg", "revisions"];

    /// <exception cref="InvalidQueryException">The query cannot be run.</exception>
    internal static void Check(QuerySyntax query)
    {
        InvalidQueryException Error(
            SourceSpan at,
            string reason,
            string? suggestion,
            QueryErrorKind kind = QueryErrorKind.NotSupported
        ) => new(kind, query.Text, at, reason, suggestion);

        if (query.From.Revisions)
        {
            throw Error(
                query.From.Span,
                "versions are read in their order, by subscriptions; a query reads documents as they are",
                "leave '(Revisions = true)' out"
            );
        }

        if (query.Update is { } update)
            throw Error(update.Span, "'update' changes documents; this is a query that reads", "run it as a patch");
        if (query.GroupBy.Count > 0 && query.Select is null)
        {
            throw Error(
                query.GroupBy[0].Expression.Span,
                "a query that groups has no results without 'select'",
                "write select key() as Key, count() as Count",
                QueryErrorKind.Meaning
            );
        }

        if (query.FilterLimit is { } limit && query.Filter is null)
            throw Error(limit.Span, "'filter_limit' stands with 'filter'", null, QueryErrorKind.Meaning);
        foreach (var include in query.Include)
        {
            if (include is CallSyntax { Target: null } call && Includes.Contains(call.Name))
                continue;
            if (include is FieldSyntax)
                continue;
            throw Error(
                include.Span,
                $"include {include} is not supported",
                $"paths, {string.Join("(), ", Includes)}() are"
            );
        }
    }

    /// <summary>Whether a query asks for data in addition to its results.</summary>
    internal static bool Asks(QuerySyntax query, string function) =>
        query.Include.Any(i => i is CallSyntax { Target: null } call && call.Name == function);
}
