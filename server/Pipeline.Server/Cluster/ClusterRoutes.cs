using Microsoft.AspNetCore.Http;

namespace Pipeline.Server.Cluster;

/// <summary>Which requests a follower answers itself.</summary>
internal static class ClusterRoutes
{
    /// <summary>
    /// Beneath these a node answers about itself, or what all nodes know. Everything else is the leader's.
    /// </summary>
    private static readonly PathString[] OfEachNode =
    [
        "/health",
        "/metrics",
        "/studio",
        "/topology",
        "/build",
        "/configuration",
        "/storage",
        "/cluster/status",
        "/cluster/history",
        "/cluster/node",
        "/cluster/digest",
        "/cluster/copy",
        "/cluster/page",
        "/cluster/backup",
        "/cluster/refill",
        "/cluster/topology",
        "/cluster/node-info",
    ];

    // A node without a copy of the database knows nothing more.
    private static readonly PathString[] OfFillingNode =
    [
        "/health",
        "/metrics",
        "/studio",
        "/build",
        "/storage",
        "/cluster/status",
        "/cluster/node",
        "/cluster/digest",
        "/cluster/copy",
        "/cluster/page",
        "/cluster/refill",
    ];

    // Behind /databases/NAME. Subscriptions, changes, ranges of ids and compare-exchange are the leader's.
    private static readonly PathString[] Reads =
    [
        "/docs",
        "/queries",
        "/streams",
        "/attachments",
        "/revisions",
        "/indexes",
        "/stats",
        "/collections",
        "/multi_get",
        "/debug",
        "/events",
    ];

    /// <summary>Whether each node answers such a request itself.</summary>
    /// <param name="path">The request's path.</param>
    /// <param name="isFilling">Whether the node has no copy of the database yet.</param>
    public static bool IsOfEachNode(PathString path, bool isFilling) =>
        path.Value is null or "" or "/"
        || Array.Exists(isFilling ? OfFillingNode : OfEachNode, p => path.StartsWithSegments(p));

    /// <summary>Whether a request only reads documents, so that any copy can answer it.</summary>
    public static bool IsRead(HttpRequest request)
    {
        if (!request.Path.StartsWithSegments("/databases", out var rest) || rest.Value is not { Length: > 1 } text)
            return false;
        var slash = text.IndexOf('/', 1);
        if (slash < 0)
            return false;
        var path = new PathString(text[slash..]);
        // The node that sends a file knows it.
        if (HttpMethods.IsDelete(request.Method))
            return path.Value == "/streams/downloads";
        return HttpMethods.IsGet(request.Method) || HttpMethods.IsHead(request.Method)
            ? Array.Exists(Reads, p => path.StartsWithSegments(p))
            : HttpMethods.IsPost(request.Method)
                && path.Value is "/docs" or "/queries" or "/streams/queries" or "/multi_get";
    }
}
