using Microsoft.AspNetCore.Http;

namespace Pipeline.Server.Security;

/// <summary>Headers of every answer. In a browser its bytes run nothing, load nothing and belong to no page of another site, whoever wrote them.</summary>
internal static class AnswerHeaders
{
    private const string Policy = "default-src 'none'; frame-ancestors 'none'; sandbox";

    /// <summary>Sets them. An endpoint that serves a page of the program itself replaces the policy by its own.</summary>
    public static void Set(HttpContext context)
    {
        var headers = context.Response.Headers;
        headers.ContentSecurityPolicy = Policy;
        headers.XContentTypeOptions = "nosniff";
        headers["Cross-Origin-Resource-Policy"] = "same-origin";
        headers["Referrer-Policy"] = "same-origin";
    }
}
