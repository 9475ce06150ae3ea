using System.Net;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Pipeline.Server.Hosting;
using Pipeline.Server.Protocol;

namespace Pipeline.Server.Security;

/// <summary>
/// Refuses requests that no client sends: with two lengths, which proxies and servers may read differently, and those that a page of another site makes a browser send. A server that asks nobody who he is
/// and listens on loopback also wants to be called by an address or as localhost: a name that leads there may be another's.
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
        if (request.Headers.Origin is [{ Length: > 0 } origin, ..] && !IsSame(origin, request.Host))
            return $"the page at '{origin}' may not use this server";
        if (_checksHost && request.Host.Host is { } host && host != "localhost" && !IPAddress.TryParse(host.Trim('[', ']'), out _))
            return $"this server is called by its address or as localhost, not '{host}'";
        return null;
    }

    private static bool IsSame(string origin, HostString host) =>
        Uri.TryCreate(origin, UriKind.Absolute, out var page) && string.Equals(page.Authority, host.Value, StringComparison.OrdinalIgnoreCase);
}
