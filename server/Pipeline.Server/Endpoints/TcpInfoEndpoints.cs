using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Pipeline.Server.Databases;
using Pipeline.Server.Errors;
using Pipeline.Server.Protocol;
using Pipeline.Server.Security;
using Pipeline.Server.Settings;

namespace Pipeline.Server.Endpoints;

/// <summary>
/// <c>info/…tcp</c>: the address for subscription connections, which is the HTTP port; of a server below a path of
/// another application it is the own port.
/// </summary>
internal static class TcpInfoEndpoints
{
    /// <summary>
    /// Answers <c>/info/remote-task/tcp?database=&amp;remote-task=</c>, and the older <c>/info/tcp</c>.
    /// </summary>
    public static void Write(HttpContext context, Utf8JsonWriter json, ServerDatabases databases, ServerOptions options)
    {
        var query = context.Request.Query;
        if (query["database"].ToString() is { Length: > 0 } name)
        {
            ClientIdentity.Of(context).Demand(name, DatabaseAccess.ReadWrite, "A subscription");
            if (!databases.TryGet(name, out var database))
                throw new DatabaseMissingException(name);
            if (
                query["remote-task"].ToString() is { Length: > 0 } task
                && query["tag"].ToString().StartsWith("Subscription", StringComparison.Ordinal)
            )
            {
                database.Subscriptions.GetStatus(task);
            }
        }
        Write(context, json, options);
    }

    /// <summary>Adds the endpoint of a database.</summary>
    public static void Add(DatabaseRoutes routes, ServerOptions options) =>
        routes.Add(
            "GET",
            "/info/tcp",
            DatabaseAccess.ReadWrite,
            request =>
                request.AnswerAsync(StatusCodes.Status200OK, answer => Write(request.Context, answer.Json, options))
        );

    private static void Write(HttpContext context, Utf8JsonWriter json, ServerOptions options)
    {
        // A follower passes the request on, so this is the leader.
        var host = context.Request.Host;
        var port = !MountedRequest.Is(context)
            ? host.Port ?? (context.Request.IsHttps ? 443 : 80)
            : options.Bound.Number
                ?? throw new UnsupportedException(
                    "a subscription over TCP below a path of another web application",
                    "let the worker listen too (server.url, Listens), or process the subscription in the application"
                );
        json.WriteStartObject();
        json.WriteString("Url", FormattableString.Invariant($"tcp://{host.Host}:{port}"));
        json.WriteNull("Urls");
        json.WriteNumber("Port", port);
        json.WriteString(
            "Certificate",
            options.Certificate is { } certificate ? Convert.ToBase64String(certificate.RawDataMemory.Span) : null
        );
        json.WriteString("NodeTag", options.Cluster?.Self.Name ?? "A");
        json.WriteString(nameof(ServerEndpoints.ServerId), ServerEndpoints.ServerId);
        json.WriteEndObject();
    }
}
