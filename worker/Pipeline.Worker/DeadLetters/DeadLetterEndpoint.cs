using System.Buffers;
using System.Globalization;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Routing;
using Pipeline.Database;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Database.Queries.Language;
using Pipeline.Etl.DeadLetters;
using Pipeline.Indexing;
using Pipeline.Worker.Terminal;

namespace Pipeline.Worker.DeadLetters;

/// <summary>
/// <c>GET /deadletters</c> (with <c>task</c>, <c>query</c>, <c>limit</c>), <c>GET</c> and <c>PUT /deadletters/letter?id=</c> (the letter; its new input), <c>POST
/// /deadletters/retry</c> and <c>/deadletters/drop</c> with <c>{ ids, task, query, all, waitSeconds }</c>.
/// </summary>
internal static class DeadLetterEndpoint
{
    private const int DefaultLimit = 100;
    private const long MaxInputBytes = 64L << 20;
    private const double LongestWaitSeconds = 600;

    /// <summary>Adds the paths.</summary>
    public static void Map(IEndpointRouteBuilder application, DocumentDatabase database, TimeProvider time, Func<HttpContext, int, object, Task> writeJson)
    {
        var desk = new DeadLetterDesk(database);
        application.MapGet("/deadletters", context => GuardAsync(context, writeJson, async () =>
        {
            var query = context.Request.Query;
            string? task = query["task"], rql = query["query"];
            var limit = int.TryParse(query["limit"], NumberStyles.None, CultureInfo.InvariantCulture, out var given) ? given : DefaultLimit;
            var letters = await desk.FindAsync(new DeadLetterSelection { Task = task, Query = rql, All = task is null && rql is null }, context.RequestAborted).ConfigureAwait(false);
            return new DeadLetterPage(letters.Count, [.. letters.Take(limit)]);
        }));
        application.MapGet("/deadletters/letter", context => GuardAsync(context, writeJson, () =>
        {
            var json = new ArrayBufferWriter<byte>();
            desk.Get(context.Request.Query["id"].ToString()).WriteJson(json);
            return JsonSerializer.Deserialize<JsonElement>(json.WrittenSpan);
        }));
        application.MapPut("/deadletters/letter", context => GuardAsync(context, writeJson, async () =>
        {
            if (context.Features.Get<IHttpMaxRequestBodySizeFeature>() is { IsReadOnly: false } size)
                size.MaxRequestBodySize = MaxInputBytes;
            using var body = new MemoryStream();
            await context.Request.Body.CopyToAsync(body, context.RequestAborted).ConfigureAwait(false);
            var id = context.Request.Query["id"].ToString();
            await desk.EditAsync(id, body.ToArray(), context.RequestAborted).ConfigureAwait(false);
            return DeadLetterView.Of(desk.Get(id));
        }));
        application.MapPost("/deadletters/retry", context => GuardAsync(context, writeJson, async () =>
        {
            var request = await ReadAsync(context).ConfigureAwait(false);
            var letters = await desk.FindAsync(request.ToSelection(), context.RequestAborted).ConfigureAwait(false);
            await desk.RetryAsync(letters, context.RequestAborted).ConfigureAwait(false);
            var patience = TimeSpan.FromSeconds(Math.Clamp(request.WaitSeconds, 0, LongestWaitSeconds));
            return await desk.WaitAsync(letters, patience, time, context.RequestAborted).ConfigureAwait(false);
        }));
        application.MapPost("/deadletters/drop", context => GuardAsync(context, writeJson, async () =>
        {
            var request = await ReadAsync(context).ConfigureAwait(false);
            var letters = await desk.FindAsync(request.ToSelection(), context.RequestAborted).ConfigureAwait(false);
            return new { dropped = await desk.DropAsync(letters, context.RequestAborted).ConfigureAwait(false) };
        }));
    }

    private static async Task<DeadLetterRequest> ReadAsync(HttpContext context)
    {
        try
        {
            return await JsonSerializer.DeserializeAsync<DeadLetterRequest>(context.Request.Body, Json.Line, context.RequestAborted).ConfigureAwait(false)
                ?? throw new DeadLetterException("the body is empty; { \"ids\": [\"deadletters/…\"] }, or task, query or all");
        }
        catch (JsonException e)
        {
            throw new DeadLetterException($"the body is not what is expected: {e.Message}", e);
        }
    }

    private static Task GuardAsync(HttpContext context, Func<HttpContext, int, object, Task> writeJson, Func<JsonElement> read) =>
        GuardAsync(context, writeJson, async () => await Task.FromResult<object>(read()).ConfigureAwait(false));

    private static async Task GuardAsync(HttpContext context, Func<HttpContext, int, object, Task> writeJson, Func<Task<object>> act)
    {
        try
        {
            await writeJson(context, StatusCodes.Status200OK, await act().ConfigureAwait(false)).ConfigureAwait(false);
        }
        catch (Exception e) when (e is DeadLetterException or InvalidQueryException or QueryException)
        {
            await writeJson(context, StatusCodes.Status400BadRequest, new { error = e.Message }).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (context.RequestAborted.IsCancellationRequested)
        {
            // Nobody waits for the answer.
        }
    }
}
