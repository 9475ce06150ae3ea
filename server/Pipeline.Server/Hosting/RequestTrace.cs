using System.Diagnostics;
using Microsoft.AspNetCore.Http;

namespace Pipeline.Server.Hosting;

/// <summary>
/// Continues the trace that a request names in <c>traceparent</c>, so that documents can store it even without a
/// listener for the server's activities.
/// </summary>
internal static class RequestTrace
{
    /// <summary>
    /// Runs the request as part of the trace. A request without the header, or whose trace the web host already
    /// continues, runs unchanged.
    /// </summary>
    public static Task RunAsync(HttpContext context, RequestDelegate next)
    {
        string? parent = context.Request.Headers.TraceParent;
        return
            parent is not null
            && Activity.Current is null
            && ActivityContext.TryParse(parent, context.Request.Headers.TraceState, isRemote: true, out var trace)
            ? ContinueAsync(context, next, trace)
            : next(context);
    }

    private static async Task ContinueAsync(HttpContext context, RequestDelegate next, ActivityContext trace)
    {
        using var activity = new Activity("http request");
        activity.SetParentId(trace.TraceId, trace.SpanId, trace.TraceFlags);
        activity.TraceStateString = trace.TraceState;
        activity.Start();
        await next(context).ConfigureAwait(false);
    }
}
