using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Pipeline.Server.Answers;
using Pipeline.Server.Errors;

namespace Pipeline.Server.Security;

/// <summary>
/// Refuses requests that a page of another site makes a browser send. Such a request carries the browser's client
/// certificate, or comes from an address that the server trusts, so identity alone does not stop it. Endpoints that
/// reveal nothing (<see cref="ServerClearance.Anybody"/>) answer all pages.
/// </summary>
/// <remarks>
/// Source: the W3C's Fetch Metadata Request Headers. Browsers send them only to https and loopback addresses, so
/// <c>Origin</c> and <c>Referer</c> count too. A server without authentication refuses a browser that sends none of the
/// three, because any page could have sent its request.
/// </remarks>
internal static class BrowserGuard
{
    /// <summary>Passes a request on, or refuses it.</summary>
    public static Task RunAsync(HttpContext context, RequestDelegate next, bool asksClients, ILogger logger) =>
        context.GetEndpoint()?.Metadata.GetMetadata<ClearanceMetadata>()?.Clearance != ServerClearance.Anybody
        && Problem(context.Request, asksClients) is { } problem
            ? ErrorAnswer.WriteAsync(context, new AccessDeniedException(problem), logger)
            : next(context);

    /// <summary>Whether a browser sent a request.</summary>
    public static bool IsFromBrowser(HttpRequest request) =>
        request.Headers.ContainsKey("Sec-Fetch-Site") || IsBrowser(request);

    /// <summary>
    /// Refuses browsers, whatever the page: a link, an image or a prefetch must not be able to send a GET that changes
    /// something.
    /// </summary>
    /// <exception cref="AccessDeniedException">A browser sent the request.</exception>
    public static void RefuseBrowser(HttpContext context)
    {
        if (IsFromBrowser(context.Request))
        {
            throw new AccessDeniedException(
                $"{context.Request.Method} {context.Request.Path} changes data, so a browser may not send it"
            );
        }
    }

    private static string? Problem(HttpRequest request, bool asksClients)
    {
        if (request.Headers.Origin is [{ Length: > 0 } origin, ..] && !IsSame(origin, request.Host))
            return $"the page at '{origin}' may not use this server";
        if (request.Headers["Sec-Fetch-Site"] is [{ Length: > 0 } site, ..])
        {
            return site is "same-origin" or "none"
                ? null
                : "a page of another site may not use this server (Sec-Fetch-Site)";
        }

        if (request.Headers.Referer is [{ Length: > 0 } page, ..])
            return IsSame(page, request.Host) ? null : $"the page at '{page}' may not use this server";
        return !asksClients && request.Headers.Origin.Count == 0 && IsBrowser(request)
            ? "this server authenticates no clients, so it answers a browser only where the request says which page sent it"
            : null;
    }

    private static bool IsSame(string url, HostString host) =>
        Uri.TryCreate(url, UriKind.Absolute, out var page)
        && string.Equals(page.Authority, host.Value, StringComparison.OrdinalIgnoreCase);

    // All browsers, and PowerShell, send this prefix.
    private static bool IsBrowser(HttpRequest request) =>
        request.Headers.UserAgent is [{ } agent, ..]
        && agent.StartsWith("Mozilla/", StringComparison.Ordinal)
        && !agent.Contains("PowerShell", StringComparison.Ordinal);
}
