using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.Server.Security;
using Yarp.ReverseProxy.Forwarder;

namespace Pipeline.Server.Hosting;

/// <summary>
/// A request that a node forwards to the leader, with the client's identity. The client's TLS connection ends at the
/// node that it reached. That node sends the thumbprint of the client's certificate. The leader looks up the client's
/// rights in its own configuration.
/// </summary>
internal sealed class ForwardedRequest(string node) : HttpTransformer
{
    /// <summary>
    /// The header for the nodes that have forwarded a request, in order. There can be two: the second one led when the
    /// first one asked it, and may have been succeeded since, even by the first one.
    /// </summary>
    public const string NodeHeader = "Pipeline-Forwarded-By";

    /// <summary>How often a request is forwarded at most.</summary>
    public const int MaxForwards = 2;

    /// <summary>The header for the thumbprint of the client's certificate; empty for a client without rights.</summary>
    public const string ClientHeader = "Pipeline-Forwarded-For";

    /// <summary>Creates the forwarder. It logs nothing, because the server logs failures.</summary>
    public static IHttpForwarder NewForwarder(TimeProvider time) =>
        new ServiceCollection()
            .AddSingleton<ILoggerFactory>(NullLoggerFactory.Instance)
            .AddSingleton(typeof(ILogger<>), typeof(NullLogger<>))
            .AddSingleton(time)
            .AddHttpForwarder()
            .BuildServiceProvider()
            .GetRequiredService<IHttpForwarder>();

    /// <inheritdoc/>
    public override async ValueTask TransformRequestAsync(
        HttpContext httpContext,
        HttpRequestMessage proxyRequest,
        string destinationPrefix,
        CancellationToken cancellationToken
    )
    {
        await base.TransformRequestAsync(httpContext, proxyRequest, destinationPrefix, cancellationToken)
            .ConfigureAwait(false);
        proxyRequest.Headers.Host = null;
        // This node has checked the page that sent the request. At the leader the request has another host, so the
        // check would fail.
        foreach (var name in (string[])["Origin", "Referer", "Sec-Fetch-Site", ClientHeader, NodeHeader])
            proxyRequest.Headers.Remove(name);
        // The leader refuses a browser's request that does not say which page sent it.
        if (BrowserGuard.IsFromBrowser(httpContext.Request))
            proxyRequest.Headers.TryAddWithoutValidation("Sec-Fetch-Site", "same-origin");
        proxyRequest.Headers.TryAddWithoutValidation(NodeHeader, string.Join(", ", [.. NodesOf(httpContext), node]));
        proxyRequest.Headers.TryAddWithoutValidation(
            ClientHeader,
            ClientIdentity.Of(httpContext).Thumbprint?.ToString() ?? ""
        );
    }

    /// <inheritdoc/>
    public override ValueTask<bool> TransformResponseAsync(
        HttpContext httpContext,
        HttpResponseMessage? proxyResponse,
        CancellationToken cancellationToken
    )
    {
        // The leader sets these as well, and a header must not appear twice.
        if (proxyResponse is not null)
        {
            foreach (var header in proxyResponse.Headers)
                httpContext.Response.Headers.Remove(header.Key);
        }
        return base.TransformResponseAsync(httpContext, proxyResponse, cancellationToken);
    }

    /// <summary>The nodes that have forwarded a request; none if its client sent it here.</summary>
    public static string[] NodesOf(HttpContext context) =>
        context
            .Request.Headers[NodeHeader]
            .ToString()
            .Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);

    /// <summary>
    /// Sets the identity of the client on a request that another node forwarded. Only a node may name its client.
    /// </summary>
    public static void TakeIdentity(HttpContext context, ClientAuthentication authentication)
    {
        if (!authentication.IsOn)
            return;
        var headers = context.Request.Headers;
        if (!ClientIdentity.Of(context).IsNode)
        {
            headers.Remove(NodeHeader);
            headers.Remove(ClientHeader);
        }
        else if (headers[ClientHeader] is [{ } thumbprint, ..] && NodesOf(context).Length > 0)
        {
            context.Features.Set(authentication.Find(thumbprint));
        }
    }
}
