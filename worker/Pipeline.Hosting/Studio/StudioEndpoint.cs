using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Pipeline.Server.Security;

namespace Pipeline.Hosting.Studio;

/// <summary>
/// The Studio at <c>/</c>: a page and its scripts, embedded in the program. They get all data from the same paths as
/// other clients.
/// </summary>
internal static class StudioEndpoint
{
    // The page may load, run and call only what this server sends, and no other page may frame it.
    private const string Policy =
        "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    /// <summary>Adds its paths.</summary>
    public static void Map(IEndpointRouteBuilder routes)
    {
        foreach (var asset in StudioAssets.All)
        {
            routes
                .MapMethods(asset.Path, ["GET", "HEAD"], context => AnswerAsync(context, asset))
                .For(ServerClearance.Anybody);
        }
    }

    private static async Task AnswerAsync(HttpContext context, StudioAsset asset)
    {
        var headers = context.Response.Headers;
        headers.ContentSecurityPolicy = Policy;
        headers.CacheControl = "no-cache";
        headers.ETag = asset.ETag;
        if (context.Request.Headers.IfNoneMatch.Contains(asset.ETag))
        {
            context.Response.StatusCode = StatusCodes.Status304NotModified;
            return;
        }
        context.Response.ContentType = asset.ContentType;
        context.Response.ContentLength = asset.Content.Length;
        if (HttpMethods.IsGet(context.Request.Method))
            await context.Response.Body.WriteAsync(asset.Content, context.RequestAborted).ConfigureAwait(false);
    }
}
