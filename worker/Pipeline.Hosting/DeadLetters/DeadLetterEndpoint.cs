using System.Buffers;
using System.Globalization;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Routing;
using Pipeline.Database;
using Pipeline.Etl.DeadLetters;

namespace Pipeline.Hosting.DeadLetters;

/// <summary>
/// <c>GET /deadletters</c> (with <c>task</c>, <c>query</c>, <c>group</c>, <c>limit</c>), <c>GET
/// /deadletters/groups</c> (with <c>task</c>), <c>GET</c> and <c>PUT /deadletters/letter?id=</c> (the letter; its new
/// input), <c>POST /deadletters/retry</c> and <c>/deadletters/drop</c> with
/// <c>{ ids, task, query, all, group, waitSeconds }</c>.
/// </summary>
internal static class DeadLetterEndpoint
{
    private const int DefaultLimit = 100;
    private const long MaxInputBytes = 64L << 20;
    private const double LongestWaitSeconds = 600;

    /// <summary>Adds the paths.</summary>
    public static void Map(IEndpointRouteBuilder application, DocumentDatabase database, TimeProvider time)
    {
        var desk = new DeadLetterService(database);
        application.MapGet(
            "/deadletters",
            context =>
                AdminAnswer.DoAsync(
                    context,
                    async ct =>
                    {
                        var query = context.Request.Query;
                        string? task = query["task"],
                            rql = query["query"],
                            group = query["group"];
                        var limit = int.TryParse(
                            query["limit"],
                            NumberStyles.None,
                            CultureInfo.InvariantCulture,
                            out var given
                        )
                            ? given
                            : DefaultLimit;
                        var letters = await desk.FindAsync(
                                new DeadLetterSelection
                                {
                                    Task = task,
                                    Query = rql,
                                    All = task is null && rql is null,
                                },
                                ct
                            )
                            .ConfigureAwait(false);
                        letters = InGroup(letters, group);
                        return new DeadLetterPage(letters.Count, [.. letters.Take(limit)]);
                    }
                )
        );
        application.MapGet(
            "/deadletters/groups",
            context =>
                AdminAnswer.DoAsync(
                    context,
                    async ct =>
                    {
                        string? task = context.Request.Query["task"];
                        var chosen = new DeadLetterSelection { Task = task, All = task is null };
                        return DeadLetterGroup.Of(await desk.FindAsync(chosen, ct).ConfigureAwait(false));
                    }
                )
        );
        application.MapGet(
            "/deadletters/letter",
            context =>
                AdminAnswer.DoAsync(
                    context,
                    () =>
                    {
                        var json = new ArrayBufferWriter<byte>();
                        desk.Get(context.Request.Query["id"].ToString()).WriteJson(json);
                        return JsonSerializer.Deserialize<JsonElement>(json.WrittenSpan);
                    }
                )
        );
        application.MapPut(
            "/deadletters/letter",
            context =>
                AdminAnswer.DoAsync(
                    context,
                    async ct =>
                    {
                        if (context.Features.Get<IHttpMaxRequestBodySizeFeature>() is { IsReadOnly: false } size)
                            size.MaxRequestBodySize = MaxInputBytes;
                        using var body = new MemoryStream();
                        await context.Request.Body.CopyToAsync(body, ct).ConfigureAwait(false);
                        var id = context.Request.Query["id"].ToString();
                        await desk.EditAsync(id, body.ToArray(), ct).ConfigureAwait(false);
                        return DeadLetterView.Of(desk.Get(id));
                    }
                )
        );
        application.MapPost(
            "/deadletters/retry",
            context =>
                AdminAnswer.DoAsync(
                    context,
                    async ct =>
                    {
                        var request = await ReadAsync(context).ConfigureAwait(false);
                        var letters = InGroup(
                            await desk.FindAsync(request.ToSelection(), ct).ConfigureAwait(false),
                            request.Group
                        );
                        await desk.RetryAsync(letters, ct).ConfigureAwait(false);
                        var timeout = TimeSpan.FromSeconds(Math.Clamp(request.WaitSeconds, 0, LongestWaitSeconds));
                        return await desk.WaitAsync(letters, timeout, time, ct).ConfigureAwait(false);
                    }
                )
        );
        application.MapPost(
            "/deadletters/drop",
            context =>
                AdminAnswer.DoAsync(
                    context,
                    async ct =>
                    {
                        var request = await ReadAsync(context).ConfigureAwait(false);
                        var letters = InGroup(
                            await desk.FindAsync(request.ToSelection(), ct).ConfigureAwait(false),
                            request.Group
                        );
                        return new { dropped = await desk.DropAsync(letters, ct).ConfigureAwait(false) };
                    }
                )
        );
    }

    private static IReadOnlyList<DeadLetterView> InGroup(IReadOnlyList<DeadLetterView> letters, string? group) =>
        group is null ? letters : [.. letters.Where(l => DeadLetterGroup.KeyOf(l) == group)];

    private static async Task<DeadLetterRequest> ReadAsync(HttpContext context)
    {
        try
        {
            return await JsonSerializer
                    .DeserializeAsync<DeadLetterRequest>(context.Request.Body, JsonForms.Line, context.RequestAborted)
                    .ConfigureAwait(false)
                ?? throw new DeadLetterException(
                    "the body is empty; { \"ids\": [\"deadletters/…\"] }, or task, query or all"
                );
        }
        catch (JsonException e)
        {
            throw new DeadLetterException($"the body is invalid: {e.Message}", e);
        }
    }
}
