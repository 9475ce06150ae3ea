using System.Buffers;
using System.Globalization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Pipeline.Database;
using Pipeline.Database.Indexes;
using Pipeline.Database.Json;
using Pipeline.Database.Queries;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Database.Queries.Language;
using Pipeline.Indexing;

namespace Pipeline.Worker.Queries;

/// <summary>
/// <c>/databases/NAME/queries</c>: GET with <c>query</c>, POST with <c>{ Query, QueryParameters, Start, PageSize, WaitForNonStaleResults, … }</c>. An
/// <c>If-None-Match</c> of an answer's ETag gives 304 where nothing changed.
/// </summary>
internal static class QueryEndpoint
{
    private static readonly TimeSpan DefaultWait = TimeSpan.FromSeconds(15);
    private static readonly TimeSpan LongestWait = TimeSpan.FromMinutes(5);

    /// <summary>Adds it.</summary>
    public static void Map(WebApplication application, DocumentDatabase database, Func<HttpContext, int, object, Task> writeJson)
    {
        var path = $"/databases/{Uri.EscapeDataString(database.Name)}/queries";
        application.MapGet(path, context => AnswerAsync(context, database, writeJson, ReadGet(context)));
        application.MapPost(path, async context =>
        {
            QueryRequest request;
            try
            {
                request = await ReadPostAsync(context).ConfigureAwait(false);
            }
            catch (Exception e) when (e is JsonFormatException or FormatException or ArgumentException)
            {
                await writeJson(context, StatusCodes.Status400BadRequest, new { error = e.Message }).ConfigureAwait(false);
                return;
            }
            await AnswerAsync(context, database, writeJson, request).ConfigureAwait(false);
        });
    }

    private static async Task AnswerAsync(HttpContext context, DocumentDatabase database, Func<HttpContext, int, object, Task> writeJson, QueryRequest request)
    {
        try
        {
            if (request.Text.Length == 0)
            {
                await writeJson(context, StatusCodes.Status400BadRequest, new { error = "there is no query; GET with ?query=…, or POST { \"Query\": \"from …\" }" }).ConfigureAwait(false);
                return;
            }
            var etag = context.Request.Headers.IfNoneMatch.ToString().Trim('"');
            if (long.TryParse(etag, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var known))
                request = request with { IfNoneMatch = known };
            var result = await database.QueryAsync(request, context.RequestAborted).ConfigureAwait(false);
            context.Response.Headers.ETag = QueryAnswer.ETag(result);
            if (result.IsNotModified)
            {
                context.Response.StatusCode = StatusCodes.Status304NotModified;
                return;
            }
            var answer = new ArrayBufferWriter<byte>();
            QueryAnswer.Write(answer, result);
            context.Response.ContentType = "application/json; charset=utf-8";
            await context.Response.Body.WriteAsync(answer.WrittenMemory, context.RequestAborted).ConfigureAwait(false);
        }
        catch (InvalidQueryException e)
        {
            await writeJson(context, StatusCodes.Status400BadRequest, new { error = e.Message, line = e.Line, column = e.Column, e.Suggestion }).ConfigureAwait(false);
        }
        catch (Exception e) when (e is IndexNotFoundException)
        {
            await writeJson(context, StatusCodes.Status404NotFound, new { error = e.Message }).ConfigureAwait(false);
        }
        catch (Exception e) when (e is QueryException or IndexFailedException or InvalidIndexException)
        {
            await writeJson(context, StatusCodes.Status400BadRequest, new { error = e.Message }).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (context.RequestAborted.IsCancellationRequested)
        {
            // Nobody waits for the answer.
        }
    }

    private static QueryRequest ReadGet(HttpContext context)
    {
        var query = context.Request.Query;
        return new QueryRequest(query["query"].ToString())
        {
            Skip = Number(query["start"].ToString(), 0),
            Take = (int)Number(query["pageSize"].ToString(), int.MaxValue),
            Wait = query.ContainsKey("wait") ? new IndexWait(Wait(query["wait"].ToString())) : null,
        };
    }

    private static async Task<QueryRequest> ReadPostAsync(HttpContext context)
    {
        using var body = new MemoryStream();
        await context.Request.Body.CopyToAsync(body, context.RequestAborted).ConfigureAwait(false);
        var root = BinaryJson.Parse(body.ToArray()).Root;
        if (root.Kind != JsonKind.Object)
            throw new FormatException($"a query is a JSON object with 'Query', not {root.Kind.ToString().ToLowerInvariant()}");
        var waits = root.TryGetProperty("WaitForNonStaleResults"u8, out var wait) && wait.Kind == JsonKind.Boolean && wait.GetBoolean();
        return new QueryRequest(root.TryGetProperty("Query"u8, out var text) && text.Kind == JsonKind.String ? text.GetString() ?? "" : "")
        {
            Parameters = root.TryGetProperty("QueryParameters"u8, out var parameters) && parameters.Kind == JsonKind.Object ? QueryParameters.Of(parameters) : QueryParameters.None,
            Skip = root.TryGetProperty("Start"u8, out var start) && start.TryGetInt64(out var skip) ? Math.Max(0, skip) : 0,
            Take = root.TryGetProperty("PageSize"u8, out var size) && size.TryGetInt64(out var take) ? (int)Math.Clamp(take, 0, int.MaxValue) : int.MaxValue,
            Wait = waits
                ? new IndexWait(
                    root.TryGetProperty("WaitForNonStaleResultsTimeout"u8, out var time) && time.Kind == JsonKind.String ? Wait(time.GetString() ?? "") : DefaultWait,
                    root.TryGetProperty("CutoffEtag"u8, out var cutoff) && cutoff.TryGetInt64(out var position) ? position : null)
                : null,
        };
    }

    private static long Number(string text, long otherwise) =>
        long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var value) ? Math.Min(value, int.MaxValue) : otherwise;

    private static TimeSpan Wait(string text) =>
        TimeSpan.TryParse(text, CultureInfo.InvariantCulture, out var time) && time >= TimeSpan.Zero && text.Contains(':', StringComparison.Ordinal) ? time < LongestWait ? time : LongestWait
            : double.TryParse(text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var seconds) ? TimeSpan.FromSeconds(Math.Min(seconds, LongestWait.TotalSeconds)) : DefaultWait;
}
