using System.Net;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Pipeline.Server.Answers;
using Pipeline.Server.Errors;
using Pipeline.Server.Settings;

namespace Pipeline.Server.Security;

/// <summary>
/// Refuses requests that no proper client sends: those with two lengths, which a proxy and this server may read
/// differently. A server on loopback without authentication also refuses host names other than localhost: a page of
/// another site may have made that name resolve to this machine.
/// </summary>
internal sealed class RequestGuard(ServerOptions options, bool asksClients)
{
    private readonly bool _checksHost = !asksClients && options.Url.IsLoopback;

    // The header that passed last: clients repeat it, so parsing it once is enough.
    private volatile string? _passed;

    /// <summary>Passes a request on, or refuses it.</summary>
    public Task RunAsync(HttpContext context, RequestDelegate next, ILogger logger) =>
        Problem(context) is { } problem
            ? ErrorAnswer.WriteAsync(context, new AccessDeniedException(problem), logger)
            : next(context);

    private string? Problem(HttpContext context)
    {
        var request = context.Request;
        // Kestrel keeps the length of a chunked request under this name.
        if (
            request.Headers.ContainsKey("X-Content-Length")
            || (request.Headers.TransferEncoding.Count > 0 && request.Headers.ContentLength is not null)
        )
        {
            return "a request has Content-Length or Transfer-Encoding, not both";
        }

        if (!_checksHost || request.Host.Value is not { } sent || sent == _passed || MountedRequest.Is(context))
            return null;
        var host = request.Host.Host;
        if (host != "localhost" && !IPAddress.TryParse(host.Trim('[', ']'), out _))
            return $"this server is called by its address or as localhost, not '{host}'";
        _passed = sent;
        return null;
    }
}
