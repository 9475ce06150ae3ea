using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Pipeline.Subscriptions;

namespace Pipeline.Worker.Hosting;

/// <summary>
/// <c>/subscriptions</c> lists them. <c>/subscriptions/events</c> sends JSON lines for as long as the client listens
/// (<c>?name=</c> selects one subscription). A POST to <c>/subscriptions/pause|resume|move|retry</c> with <c>?name=</c>
/// (and <c>&amp;to=</c>) acts on one. A DELETE of <c>/subscriptions?name=</c> removes it.
/// </summary>
internal static class SubscriptionEndpoint
{
    /// <summary>Adds the paths.</summary>
    public static void Map(IEndpointRouteBuilder application, SubscriptionHost subscriptions)
    {
        const string path = "/subscriptions";
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
}
