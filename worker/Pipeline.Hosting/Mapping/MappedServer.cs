using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Extensions;
using Microsoft.Extensions.Logging;
using Pipeline.Hosting.Workers;
using Pipeline.Server.Security;

namespace Pipeline.Hosting.Mapping;

/// <summary>Answers the requests below the path that a worker's server is mapped to.</summary>
/// <param name="worker">The worker.</param>
/// <param name="users">The rights of users; null if every client that is let in is an admin.</param>
/// <param name="logger">Logs refusals.</param>
internal sealed class MappedServer(HostedWorker worker, MappedUsers? users, ILogger logger)
{
    /// <summary>The route value that has the path below.</summary>
    public const string Rest = "pipelinePath";

    /// <summary>Answers a request, or refuses it.</summary>
    public async Task RunAsync(HttpContext context)
    {
        if (MappedAccess.Problem(context) is { } problem)
        {
            HostingLog.MappedRequestRefused(
                logger,
                context.Request.Method,
                context.Request.Path,
                context.Connection.RemoteIpAddress,
                problem
            );
            context.Response.StatusCode = StatusCodes.Status403Forbidden;
            context.Response.ContentType = "text/plain; charset=utf-8";
            await context.Response.WriteAsync(problem, context.RequestAborted).ConfigureAwait(false);
            return;
        }
        var path = context.Request.Path.Value ?? "";
        var rest = context.Request.RouteValues[Rest] as string ?? "";
        if (rest.Length == 0 && !path.EndsWith('/'))
        {
            // Studio's addresses are relative, so the page needs the slash.
            context.Response.Redirect(
                UriHelper.BuildRelative(context.Request.PathBase, path + "/", context.Request.QueryString),
                permanent: false,
                preserveMethod: true
            );
            return;
        }
        if (
            path.Length <= rest.Length
            || !path.EndsWith(rest, StringComparison.Ordinal)
            || path[^(rest.Length + 1)] != '/'
        )
        {
            context.Response.StatusCode = StatusCodes.Status404NotFound;
            return;
        }
        var mount = await worker.MountAsync(context.RequestAborted).ConfigureAwait(false);
        await mount
            .RunAsync(context, "/" + rest, users?.Of(context.User) ?? ClientIdentity.Trusted)
            .ConfigureAwait(false);
    }
}
