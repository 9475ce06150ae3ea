using Microsoft.AspNetCore.Http;

namespace Pipeline.Server.Security;

/// <summary>
/// Headers of every answer. In a browser, they keep its bytes from running, loading anything or being used by another
/// site.
/// </summary>
internal static class AnswerHeaders
{
    private const string Policy = "default-src 'none'; frame-ancestors 'none'; sandbox";

    /// <summary>Sets the headers. An endpoint that serves one of the program's own pages replaces the policy.</summary>
    public static void Set(HttpContext context)
    {
        var headers = context.Response.Headers;
        headers.ContentSecurityPolicy = Policy;
        headers.XContentTypeOptions = "nosniff";
        headers["Cross-Origin-Resource-Policy"] = "same-origin";
        headers["Referrer-Policy"] = "same-origin";
    }
}
