using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Pipeline.Database;
using Pipeline.Subscriptions;
using Pipeline.Worker.Terminal;

namespace Pipeline.Worker.Hosting;

/// <summary><c>/databases/NAME/subscriptions</c> and, as JSON lines for as long as the client listens, <c>/databases/NAME/subscriptions/events</c> (with <c>?name=</c> of one alone).</summary>
internal static class SubscriptionEndpoint
{
    /// <summary>Adds the paths.</summary>
    public static void Map(WebApplication application, DocumentDatabase database, SubscriptionHost subscriptions, Func<HttpContext, int, object, Task> writeJson)
    {
        var path = $"/databases/{Uri.EscapeDataString(database.Name)}/subscriptions";
        application.MapGet(path, context => writeJson(context, StatusCodes.Status200OK, subscriptions.GetStatus().Select(SubscriptionView.Of)));
        application.MapGet(path + "/events", async context =>
        {
            var name = context.Request.Query["name"].ToString();
            var events = subscriptions.FollowAsync(name.Length == 0 ? null : name, ct: context.RequestAborted);
            context.Response.ContentType = "application/x-ndjson; charset=utf-8";
            context.Response.Headers.CacheControl = "no-store";
            try
            {
                // The head goes at once, so that a client knows that it follows.
                await context.Response.StartAsync(context.RequestAborted).ConfigureAwait(false);
                await context.Response.Body.FlushAsync(context.RequestAborted).ConfigureAwait(false);
                await foreach (var what in events.ConfigureAwait(false))
                {
                    await context.Response.WriteAsync(JsonSerializer.Serialize(what, Json.Line) + "\n", context.RequestAborted).ConfigureAwait(false);
                    await context.Response.Body.FlushAsync(context.RequestAborted).ConfigureAwait(false);
                }
            }
            catch (OperationCanceledException) when (context.RequestAborted.IsCancellationRequested)
            {
                // Nobody listens any more.
            }
        });
    }
}
