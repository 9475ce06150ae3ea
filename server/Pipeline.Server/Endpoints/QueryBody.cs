using System.Globalization;
using Pipeline.Database.Queries;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Json;
using Pipeline.Server.Errors;
using Pipeline.Server.Protocol;

namespace Pipeline.Server.Endpoints;

/// <summary>Parses a query from a request's body.</summary>
internal static class QueryBody
{
    private static readonly TimeSpan LongestWait = TimeSpan.FromHours(1);

    /// <summary>
    /// Parses <c>{ Query, QueryParameters, Start, PageSize, WaitForNonStaleResults, WaitForNonStaleResultsTimeout,
    /// WaitFor }</c>.
    /// </summary>
    /// <exception cref="BadRequestException">The body has no query.</exception>
    public static QueryRequest Read(ReadOnlySpan<byte> body)
    {
        var root = BinaryJson.Parse(body).Root;
        return Read(root);
    }

    /// <summary>Parses the query of a body that has other properties too.</summary>
    public static QueryRequest Read(BinaryValue root)
    {
        if (
            root.Kind != JsonKind.Object
            || !root.TryGetProperty("Query"u8, out var text)
            || text.Kind != JsonKind.String
            || text.GetString() is not { Length: > 0 } query
        )
        {
            throw new BadRequestException("a query is an object with the RQL in 'Query'");
        }

        var waits =
            root.TryGetProperty("WaitForNonStaleResults"u8, out var wait)
            && wait.Kind == JsonKind.Boolean
            && wait.GetBoolean();
        return new QueryRequest(query)
        {
            Parameters =
                root.TryGetProperty("QueryParameters"u8, out var parameters) && parameters.Kind == JsonKind.Object
                    ? QueryParameters.Of(parameters)
                    : QueryParameters.None,
            Skip =
                root.TryGetProperty("Start"u8, out var start) && start.TryGetInt64(out var skip)
                    ? Math.Max(0, skip)
                    : 0,
            Take =
                root.TryGetProperty("PageSize"u8, out var size) && size.TryGetInt64(out var take)
                    ? (int)Math.Clamp(take, 0, int.MaxValue)
                    : int.MaxValue,
            AllowsRepeats =
                root.TryGetProperty("SkipDuplicateChecking"u8, out var skips)
                && skips.Kind == JsonKind.Boolean
                && skips.GetBoolean(),
            Projection =
                root.TryGetProperty("ProjectionBehavior"u8, out var behavior) && behavior.Kind == JsonKind.String
                    ? Enum.TryParse(behavior.GetString(), out ProjectionSource source)
                        ? source
                        : throw new BadRequestException(
                            $"'ProjectionBehavior' is '{behavior.GetString()}': there are {string.Join(", ", Enum.GetNames<ProjectionSource>())}"
                        )
                    : ProjectionSource.Default,
            Wait = Wait(
                waits,
                root.TryGetProperty("WaitForNonStaleResultsTimeout"u8, out var time) && time.Kind == JsonKind.String
                    ? time.GetString()
                    : null,
                Position(root, "WaitFor"u8) ?? (waits ? Position(root, "CutoffEtag"u8) : null)
            ),
        };
    }

    /// <summary>Adds the wait from the query string, or otherwise the server's default wait.</summary>
    public static QueryRequest WithWait(DatabaseRequest request, QueryRequest query)
    {
        var position = request.Text("waitFor") is { Length: > 0 } ? request.Number("waitFor", 0) : (long?)null;
        return query with
        {
            Wait =
                Wait(request.Flag("waitForNonStaleResults"), request.Text("waitForNonStaleResultsTimeout"), position)
                ?? query.Wait
                ?? request.Served.QueryWait,
        };
    }

    private static IndexWait? Wait(bool waits, string? timeout, long? position) =>
        waits || position is not null
            ? new IndexWait(timeout is null ? IndexWait.DefaultTimeout : Time(timeout), position)
            : null;

    private static long? Position(BinaryValue root, ReadOnlySpan<byte> name)
    {
        if (!root.TryGetProperty(name, out var value) || value.Kind == JsonKind.Null)
            return null;
        return value.TryGetInt64(out var position)
            ? position
            : throw new BadRequestException(
                $"'{System.Text.Encoding.UTF8.GetString(name)}' is a position: a whole number"
            );
    }

    /// <summary>
    /// Parses a .NET time span: <c>00:00:15</c>, <c>1.00:00:00</c>. The result is at most an hour, and 15 seconds if
    /// the text is invalid.
    /// </summary>
    public static TimeSpan Time(string text) =>
        TimeSpan.TryParse(text, CultureInfo.InvariantCulture, out var time) && time >= TimeSpan.Zero
            ? time < LongestWait
                ? time
                : LongestWait
            : IndexWait.DefaultTimeout;
}
