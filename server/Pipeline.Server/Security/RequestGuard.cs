using System.Net;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Pipeline.Server.Hosting;
using Pipeline.Server.Protocol;

namespace Pipeline.Server.Security;

/// <summary>
/// Refuses requests that no client sends: those with two lengths, which a proxy and this server may read differently. A server on loopback that authenticates nobody
/// also refuses a host name other than localhost: a page of another site may have made that name lead here.
/// </summary>
internal sealed class RequestGuard(ServerOptions options, bool asksClients)
{
    private readonly bool _checksHost = !asksClients && options.Url.IsLoopback;

    /// <summary>Lets a request through, or refuses it.</summary>
    public Task RunAsync(HttpContext context, RequestDelegate next, ILogger logger) =>
        Problem(context.Request) is { } problem ? ErrorAnswer.WriteAsync(context, new AccessDeniedException(problem), logger) : next(context);

    private string? Problem(HttpRequest request)
    {
        // Kestrel keeps the length of a chunked request under this name.
        if (request.Headers.ContainsKey("X-Content-Length") || (request.Headers.TransferEncoding.Count > 0 && request.Headers.ContentLength is not null))
            return "a request has Content-Length or Transfer-Encoding, not both";
        if (_checksHost && request.Host.Host is { } host && host != "localhost" && !IPAddress.TryParse(host.Trim('[', ']'), out _))
            return $"this server is called by its address or as localhost, not '{host}'";
        return null;
    }
}
