using System.Globalization;
using Microsoft.AspNetCore.Http;
using Pipeline.Database;
using Pipeline.Database.Json;
using Pipeline.Database.Queries;
using Pipeline.Server.Hosting;
using Pipeline.Server.Protocol;

namespace Pipeline.Server.Endpoints;

/// <summary><c>queries</c>: results of a query, its deletion by an operation; <c>streams</c>: all results one after the other.</summary>
internal static class QueryEndpoints
{
    private const int DeleteBatch = 1_000;

    /// <summary>Adds them.</summary>
    public static void Add(DatabaseRoutes routes)
    {
        routes.Add("GET", "/queries", request => AnswerAsync(request, FromAddress(request)));
        routes.Add("POST", "/queries", async request => await AnswerAsync(request, QueryBody.Read((await request.ReadBodyAsync().ConfigureAwait(false)).Span)).ConfigureAwait(false));
        routes.Add("DELETE", "/queries", DeleteAsync);
        routes.Add("PATCH", "/queries", _ => throw new UnsupportedException("update by query", "there is no script engine for JavaScript here; stream the query's results, change them and save them"));
        routes.Add("GET", "/streams/queries", request => StreamAsync(request, FromAddress(request)));
        routes.Add("POST", "/streams/queries", async request => await StreamAsync(request, QueryBody.Read((await request.ReadBodyAsync().ConfigureAwait(false)).Span)).ConfigureAwait(false));
        routes.Add("GET", "/streams/docs", StreamDocumentsAsync);
    }

    private static QueryRequest FromAddress(DatabaseRequest request) => new(request.Required("query"))
    {
        Skip = request.Number("start", 0),
        Take = (int)Math.Min(request.Number("pageSize", int.MaxValue), int.MaxValue),
    };

    private static async Task AnswerAsync(DatabaseRequest request, QueryRequest query)
    {
        if (long.TryParse(request.KnownETag, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var known))
            query = query with { IfNoneMatch = known };
        var result = await request.Database.QueryAsync(query, request.Aborted).ConfigureAwait(false);
        request.Context.Response.Headers.ETag = string.Create(CultureInfo.InvariantCulture, $"\"{result.ETag}\"");
        if (result.IsNotModified)
            await request.AnswerAsync(StatusCodes.Status304NotModified).ConfigureAwait(false);
        else
            await request.AnswerAsync(StatusCodes.Status200OK, answer => QueryAnswer.Write(answer, result, request.Served.Time.GetUtcNow())).ConfigureAwait(false);
    }

    private static async Task DeleteAsync(DatabaseRequest request)
    {
        var root = BinaryJson.Parse((await request.ReadBodyAsync().ConfigureAwait(false)).Span).Root;
        var query = QueryBody.Read(root.TryGetProperty("Query"u8, out var inner) && inner.Kind == JsonKind.Object ? inner : root);
        var database = request.Database;
        var operation = request.Served.Operations.Start(
            request.Number("operationId", request.Served.Operations.NextId()), (running, stop) => DeleteAsync(database, query, running, stop));
        await OperationEndpoints.AnswerStartedAsync(request, operation).ConfigureAwait(false);
    }

    private static async Task DeleteAsync(DocumentDatabase database, QueryRequest query, Operation operation, CancellationToken stop)
    {
        List<string> ids = [];
        await foreach (var item in database.StreamQueryAsync(query, stop).ConfigureAwait(false))
        {
            if (item.Id is not null)
                ids.Add(item.Id);
        }
        for (var from = 0; from < ids.Count; from += DeleteBatch)
        {
            var batch = ids.GetRange(from, Math.Min(DeleteBatch, ids.Count - from));
            await database.WriteAsync(
                transaction =>
                {
                    foreach (var id in batch)
                        transaction.Delete(id);
                },
                stop).ConfigureAwait(false);
            operation.Progress = (ids.Count, from + batch.Count);
        }
        operation.Progress = (ids.Count, ids.Count);
    }

    private static async Task StreamAsync(DatabaseRequest request, QueryRequest query)
    {
        var now = request.Served.Time.GetUtcNow();
        var head = await request.Database.QueryAsync(query with { Take = 0 }, request.Aborted).ConfigureAwait(false);
        var isLines = request.Text("format") == "jsonl";
        request.Context.Response.ContentType = isLines ? "application/x-ndjson" : "application/json; charset=utf-8";
        using var answer = new JsonAnswer();
        answer.Json.WriteStartObject();
        if (isLines)
            answer.Json.WriteStartObject("Stats");
        QueryAnswer.WriteState(answer.Json, head, now);
        answer.Json.WriteNumber("TotalResults", head.Total);
        if (isLines)
            answer.Json.WriteEndObject();
        else
            answer.Json.WriteStartArray("Results");
        if (isLines)
            answer.EndLine();
        await foreach (var item in request.Database.StreamQueryAsync(query, request.Aborted).ConfigureAwait(false))
        {
            if (isLines)
            {
                answer.Json.WriteStartObject();
                answer.Json.WritePropertyName("Item");
            }
            answer.Raw(target => QueryAnswer.Write(target, item));
            if (isLines)
                answer.EndLine();
            if (answer.Waiting > StreamedAnswer.SendBytes)
                await answer.SendAsync(request.Context.Response.Body, request.Aborted).ConfigureAwait(false);
        }
        if (!isLines)
        {
            answer.Json.WriteEndArray();
            answer.Json.WriteEndObject();
        }
        await answer.SendAsync(request.Context.Response.Body, request.Aborted).ConfigureAwait(false);
    }

    private static async Task StreamDocumentsAsync(DatabaseRequest request)
    {
        using var snapshot = request.Database.OpenSnapshot("stream");
        var prefix = request.Text("startsWith");
        var pattern = new IdPattern(request.Text("matches"), request.Text("exclude"));
        var documents = prefix is null
            ? snapshot.GetNewestFirst()
            : snapshot.GetByPrefix(prefix, request.Text("startAfter")).Where(d => pattern.Holds(d.Id[Math.Min(prefix.Length, d.Id.Length)..]));
        var isLines = request.Text("format") == "jsonl";
        var (start, left) = (request.Number("start", 0), request.Number("pageSize", long.MaxValue));
        request.Context.Response.ContentType = isLines ? "application/x-ndjson" : "application/json; charset=utf-8";
        using var answer = new JsonAnswer();
        if (!isLines)
        {
            answer.Json.WriteStartObject();
            answer.Json.WriteStartArray("Results");
        }
        foreach (var document in documents)
        {
            request.Aborted.ThrowIfCancellationRequested();
            if (start-- > 0)
                continue;
            if (left-- <= 0)
                break;
            answer.Document(document);
            if (isLines)
                answer.EndLine();
            if (answer.Waiting > StreamedAnswer.SendBytes)
                await answer.SendAsync(request.Context.Response.Body, request.Aborted).ConfigureAwait(false);
        }
        if (!isLines)
        {
            answer.Json.WriteEndArray();
            answer.Json.WriteEndObject();
        }
        await answer.SendAsync(request.Context.Response.Body, request.Aborted).ConfigureAwait(false);
    }
}
