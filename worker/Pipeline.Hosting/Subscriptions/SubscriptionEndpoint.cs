using System.Buffers;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Pipeline.Database;
using Pipeline.Subscriptions;

namespace Pipeline.Hosting;

/// <summary>
/// <c>/subscriptions</c> lists them. <c>/subscriptions/events</c> sends JSON lines for as long as the client listens
/// (<c>?name=</c> selects one subscription). A POST to <c>/subscriptions/pause|resume|move|retry</c> with <c>?name=</c>
/// (and <c>&amp;to=</c>) acts on one. A POST to <c>/subscriptions/try</c> with <c>{ name }</c>,
/// <c>{ query }</c> or <c>{ collections, revisions, filter, projection }</c> shows
/// the items that it would deliver from the last changes. A DELETE of <c>/subscriptions?name=</c> removes it.
/// </summary>
internal static class SubscriptionEndpoint
{
    /// <summary>Adds the paths.</summary>
    public static void Map(IEndpointRouteBuilder application, SubscriptionHost subscriptions, DocumentDatabase database)
    {
        const string path = "/subscriptions";
        application.MapPost(
            path + "/try",
            context =>
                AdminAnswer.DoAsync(
                    context,
                    async ct =>
                    {
                        var body = await JsonSerializer
                            .DeserializeAsync<TryBody>(context.Request.Body, JsonForms.Line, ct)
                            .ConfigureAwait(false);
                        return await Task.Run(() => Try(subscriptions, database, body, ct), ct).ConfigureAwait(false);
                    },
                    StatusCodes.Status400BadRequest
                )
        );
        application.MapGet(
            path,
            context => AdminAnswer.WriteAsync(context, subscriptions.GetStatus().Select(SubscriptionView.Of))
        );
        foreach (var action in SubscriptionAction.All)
        {
            application.MapMethods(
                action.IsDelete ? path : $"{path}/{action.Name}",
                [action.IsDelete ? HttpMethods.Delete : HttpMethods.Post],
                context => ActAsync(context, action)
            );
        }

        application.MapGet(
            path + "/events",
            async context =>
            {
                var name = context.Request.Query["name"].ToString();
                using var ends = CancellationTokenSource.CreateLinkedTokenSource(
                    context.RequestAborted,
                    context.RequestServices.GetRequiredService<IHostApplicationLifetime>().ApplicationStopping
                );
                var events = subscriptions.FollowAsync(name.Length == 0 ? null : name, ct: ends.Token);
                context.Response.ContentType = "application/x-ndjson; charset=utf-8";
                context.Response.Headers.CacheControl = "no-store";
                try
                {
                    // The headers go out at once, so that the client knows that it is connected.
                    await context.Response.StartAsync(context.RequestAborted).ConfigureAwait(false);
                    await context.Response.Body.FlushAsync(context.RequestAborted).ConfigureAwait(false);
                    await foreach (var what in events.ConfigureAwait(false))
                    {
                        await context
                            .Response.WriteAsync(
                                JsonSerializer.Serialize(what, JsonForms.Line) + "\n",
                                context.RequestAborted
                            )
                            .ConfigureAwait(false);
                        await context.Response.Body.FlushAsync(context.RequestAborted).ConfigureAwait(false);
                    }
                }
                catch (OperationCanceledException) when (ends.IsCancellationRequested)
                {
                    // The client has disconnected, or the worker stops.
                }
            }
        );

        Task ActAsync(HttpContext context, SubscriptionAction action) =>
            AdminAnswer.DoAsync(
                context,
                async ct =>
                {
                    var name = context.Request.Query["name"].ToString();
                    await action
                        .RunAsync(subscriptions, name, context.Request.Query["to"].ToString(), ct)
                        .ConfigureAwait(false);
                    return new { name, action = action.Name };
                }
            );
    }

    private const int DefaultTried = 100;
    private const int MaxTried = 10_000;

    /// <summary>The body of <c>/subscriptions/try</c>.</summary>
    /// <param name="Name">A subscription.</param>
    /// <param name="Query">Or the query of one to come.</param>
    /// <param name="Collections">Or its collections; an empty list for all.</param>
    /// <param name="Revisions">With collections: whether each version comes with the previous one.</param>
    /// <param name="Filter">With collections: a condition in C#.</param>
    /// <param name="Projection">With collections: the delivered value in C#.</param>
    /// <param name="Last">How many changes to test.</param>
    private sealed record TryBody(
        string? Name,
        string? Query,
        IReadOnlyList<string>? Collections,
        bool? Revisions,
        string? Filter,
        string? Projection,
        int? Last
    )
    {
        /// <summary>The definition of the body; null if it has none.</summary>
        public SubscriptionDefinition? Definition =>
            Query is null && Collections is null && Filter is null && Projection is null
                ? null
                : new SubscriptionDefinition
                {
                    Name = "tried",
                    Query = Query,
                    Collections = Query is null && Collections is { Count: > 0 } ? Collections : null,
                    Filter = Filter,
                    Projection = Projection,
                    Revisions = Query is null && (Revisions ?? false),
                };
    }

    private static object Try(
        SubscriptionHost subscriptions,
        DocumentDatabase database,
        TryBody? body,
        CancellationToken ct
    )
    {
        var definition = body?.Name is { } name
            ? subscriptions.GetStatus().FirstOrDefault(s => s.Name == name)?.Definition
                ?? throw new SubscriptionException(
                    name,
                    SubscriptionProblem.NotFound,
                    $"There is no subscription '{name}'."
                )
            : body?.Definition
                ?? throw new WorkerException(
                    "the body must have a name, a query or collections: { \"query\": \"from Orders\" }",
                    ExitCodes.Usage
                );
        SubscriptionTrial trial;
        try
        {
            trial = SubscriptionTrial.Run(database, definition, Math.Clamp(body.Last ?? DefaultTried, 1, MaxTried), ct);
        }
        catch (SubscriptionException e)
        {
            // The definition is wrong, not the state of the server.
            throw new WorkerException(e.Message.TrimEnd('.'), ExitCodes.Usage, e);
        }

        return new
        {
            tried = trial.Tried,
            given = trial.Given.Select(g => JsonSerializer.Deserialize<JsonElement>(g.Span)),
            failed = trial.Failed.Select(f => new { id = f.Id, error = f.Message }),
            includes = trial.Includes.Count == 0 ? (JsonElement?)null : IncludesOf(trial),
        };
    }

    private static JsonElement IncludesOf(SubscriptionTrial trial)
    {
        var text = new ArrayBufferWriter<byte>();
        trial.WriteIncludes(text);
        return JsonSerializer.Deserialize<JsonElement>(text.WrittenSpan);
    }
}
