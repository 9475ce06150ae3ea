using System.Globalization;
using Microsoft.AspNetCore.Http;
using Pipeline.Database.Queries;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Documents;
using Pipeline.Json;
using Pipeline.Server.Errors;
using Pipeline.Server.Protocol;
using Pipeline.Server.Settings;

namespace Pipeline.Server.Endpoints;

/// <summary>
/// <c>queries</c>: returns a query's results, or deletes them by an operation; <c>streams</c>: sends all results one
/// after another.
/// </summary>
internal static class QueryEndpoints
{
    private const int DeleteBatch = 1_000;

    /// <summary>Adds the endpoints.</summary>
    public static void Add(DatabaseRoutes routes)
    {
        routes.Add("GET", "/queries", DatabaseAccess.Read, request => AnswerAsync(request, FromAddress(request)));
        routes.Add(
            "POST",
            "/queries",
            DatabaseAccess.Read,
            async request =>
                await AnswerAsync(
                        request,
                        QueryBody.Read((await request.ReadJsonBodyAsync().ConfigureAwait(false)).Span)
                    )
                    .ConfigureAwait(false)
        );
        routes.Add("DELETE", "/queries", DatabaseAccess.ReadWrite, DeleteAsync);
        routes.Add("PATCH", "/queries", DatabaseAccess.ReadWrite, QueryPatch.StartAsync);
        routes.Add("POST", "/queries/try", DatabaseAccess.ReadWrite, QueryPatch.TryAsync);
        routes.Add(
            "GET",
            "/streams/queries",
            DatabaseAccess.Read,
            request => StreamAsync(request, FromAddress(request)),
            isLong: true
        );
        routes.Add(
            "POST",
            "/streams/queries",
            DatabaseAccess.Read,
            async request =>
                await StreamAsync(
                        request,
                        QueryBody.Read((await request.ReadJsonBodyAsync().ConfigureAwait(false)).Span)
                    )
                    .ConfigureAwait(false),
            isLong: true
        );
        ResultFile.Add(routes);
        routes.Add("GET", "/streams/docs", DatabaseAccess.Read, StreamDocumentsAsync, isLong: true);
    }

    private static QueryRequest FromAddress(DatabaseRequest request) =>
        new(request.Required("query"))
        {
            Skip = request.Number("start", 0),
            Take = (int)Math.Min(request.Number("pageSize", int.MaxValue), int.MaxValue),
        };

    private static async Task AnswerAsync(DatabaseRequest request, QueryRequest query)
    {
        query = QueryBody.WithWait(request, query);
        if (
            long.TryParse(request.KnownETag, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var known)
        )
        {
            query = query with { IfNoneMatch = known };
        }

        if (request.Text("debug") is { Length: > 0 } debug)
        {
            await ExplainAsync(request, query, debug).ConfigureAwait(false);
            return;
        }
        var started = request.Served.Time.GetTimestamp();
        var result = await request
            .Database.QueryAsync(
                query with
                {
                    OnHeld = request.Memory.Hold,
                    Turn = request.TakeTurnAsync,
                },
                request.Aborted
            )
            .ConfigureAwait(false);
        ServerMetrics.QueryDuration.Record(
            request.Served.Time.GetElapsedTime(started).TotalSeconds,
            new KeyValuePair<string, object?>("pipeline.database", request.Database.Name)
        );
        request.Context.Response.Headers.ETag = string.Create(CultureInfo.InvariantCulture, $"\"{result.ETag}\"");
        if (result.IsNotModified)
            await request.AnswerAsync(StatusCodes.Status304NotModified).ConfigureAwait(false);
        else
            await QueryAnswer.SendAsync(request, result).ConfigureAwait(false);
    }

    /// <summary>
    /// Tells which index answers a query. It is always exactly one: a query without a suitable index gets an automatic
    /// one.
    /// </summary>
    private static async Task ExplainAsync(DatabaseRequest request, QueryRequest query, string debug)
    {
        if (debug != "explain")
            throw new UnsupportedException($"debug={debug} of a query", "debug=explain is, and GET indexes/terms");
        var result = await request
            .Database.QueryAsync(
                query with
                {
                    Take = 0,
                    OnHeld = request.Memory.Hold,
                    Turn = request.TakeTurnAsync,
                },
                request.Aborted
            )
            .ConfigureAwait(false);
        await request
            .AnswerAsync(
                StatusCodes.Status200OK,
                answer =>
                {
                    answer.Json.WriteStartObject();
                    answer.Json.WriteString("IndexName", result.IndexName);
                    answer.Json.WriteStartArray("Results");
                    answer.Json.WriteStartObject();
                    answer.Json.WriteString("Index", result.IndexName);
                    answer.Json.WriteString(
                        "Reason",
                        result.Plan is { } plan
                            ? $"It has all fields that the query names: {plan.Operation} {plan.Detail}".TrimEnd()
                            : "No index is needed: the documents themselves are read"
                    );
                    answer.Json.WriteEndObject();
                    answer.Json.WriteEndArray();
                    answer.Json.WriteEndObject();
                }
            )
            .ConfigureAwait(false);
    }

    private static async Task DeleteAsync(DatabaseRequest request)
    {
        var query = QueryBody.Read(
            QueryOperation.Query(BinaryJson.Parse((await request.ReadBodyAsync().ConfigureAwait(false)).Span).Root)
        );
        await QueryOperation
            .StartAsync(request, query, DeleteBatch, (transaction, id) => transaction.Delete(id))
            .ConfigureAwait(false);
    }

    private static async Task StreamAsync(DatabaseRequest request, QueryRequest query)
    {
        using var open = request.OpenStream();
        query = QueryBody.WithWait(request, query);
        var now = request.Served.Time.GetUtcNow();
        var state = await request
            .Database.QueryAsync(
                query with
                {
                    Take = 0,
                    OnHeld = request.Memory.Hold,
                    Turn = request.TakeTurnAsync,
                },
                request.Aborted
            )
            .ConfigureAwait(false);
        var items = request.Database.StreamQueryAsync(
            query with
            {
                Wait = IndexWait.None,
                OnHeld = request.Memory.Hold,
                Turn = request.TakeTurnAsync,
            },
            request.Aborted
        );
        if (request.Text("file") is { Length: > 0 } file)
        {
            await ResultFile.SendAsync(request, file, state.Total, items).ConfigureAwait(false);
            return;
        }

        await StreamedAnswer
            .SendAsync(
                request,
                AsLines(request),
                json =>
                {
                    QueryAnswer.WriteState(json, state, now);
                    json.WriteNumber("TotalResults", state.Total);
                },
                items,
                (answer, item) => answer.Raw(target => QueryAnswer.Write(target, item))
            )
            .ConfigureAwait(false);
    }

    private static async Task StreamDocumentsAsync(DatabaseRequest request)
    {
        using var open = request.OpenStream();
        using var snapshot = request.Database.OpenSnapshot("stream");
        var documents = DocumentPage.Of(request, snapshot, long.MaxValue);
        await StreamedAnswer
            .SendAsync(
                request,
                AsLines(request),
                null,
                InTurnsAsync(request, documents),
                (answer, document) => answer.Document(document)
            )
            .ConfigureAwait(false);
    }

    private static async IAsyncEnumerable<Document> InTurnsAsync(
        DatabaseRequest request,
        IEnumerable<Document> documents
    )
    {
        using var next = documents.GetEnumerator();
        while (await MovesAsync().ConfigureAwait(false))
            yield return next.Current;

        async ValueTask<bool> MovesAsync()
        {
            using var turn = await request.TakeTurnAsync(request.Aborted).ConfigureAwait(false);
            return next.MoveNext();
        }
    }

    private static bool AsLines(DatabaseRequest request) => request.Text("format") == "jsonl";
}
