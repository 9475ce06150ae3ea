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
    public static async Task RunAsync(HttpContext context, RequestDelegate next)
    {
        string? parent = context.Request.Headers.TraceParent;
        if (
            parent is null
            || Activity.Current is not null
            || !ActivityContext.TryParse(parent, context.Request.Headers.TraceState, isRemote: true, out var trace)
        )
        {
            await next(context).ConfigureAwait(false);
            return;
        }
        using var activity = new Activity("http request");
        activity.SetParentId(trace.TraceId, trace.SpanId, trace.TraceFlags);
        activity.TraceStateString = trace.TraceState;
        activity.Start();
        await next(context).ConfigureAwait(false);
    }
}
