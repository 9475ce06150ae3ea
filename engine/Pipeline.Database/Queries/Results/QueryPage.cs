using Pipeline.Database.Queries.Language;
using Pipeline.Database.Queries.Language.Syntax;

namespace Pipeline.Database.Queries.Results;

/// <summary>
/// The page of a query: results after <paramref name="Skip"/>, at most <paramref name="Take"/>, of at most
/// <paramref name="Scan"/> that a filter examines.
/// </summary>
internal readonly record struct QueryPage(long Skip, int Take, long Scan)
{
    /// <summary>
    /// The page of a query. The text's values override the request's, but a page is never larger than the request
    /// allows.
    /// </summary>
    internal static QueryPage Of(QuerySyntax query, QueryRequest request)
    {
        long Count(ExpressionSyntax? expression, long otherwise)
        {
            var value = expression switch
            {
                null => otherwise,
                LiteralSyntax literal => literal.Value,
                // Clients write both parameters and give the one that was asked for.
                ParameterSyntax parameter => request.Parameters.TryGet(parameter.Name, out var given)
                && given is not null
                    ? given
                    : otherwise,
                _ => null,
            };
            return value is long count and >= 0
                ? count
                : throw new InvalidQueryException(
                    QueryErrorKind.Parameter,
                    query.Text,
                    expression!.Span,
                    $"a whole number from 0 is expected, not {value ?? expression}",
                    "hand a number over, without quotes"
                );
        }

        return new QueryPage(
            Count(query.Offset, request.Skip),
            (int)Math.Min(Count(query.Limit, int.MaxValue), request.Take),
            Count(query.FilterLimit, long.MaxValue)
        );
    }
}
