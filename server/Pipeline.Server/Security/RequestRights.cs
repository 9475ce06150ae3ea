using Microsoft.AspNetCore.Http;
using Pipeline.Server.Settings;

namespace Pipeline.Server.Security;

/// <summary>
/// The sender's rights, for endpoints that a host adds. Without authentication every client may see everything.
/// </summary>
public static class RequestRights
{
    /// <summary>
    /// Whether the sender sees the names and figures of all databases: an admin of the server, or a client with
    /// <c>metrics</c>.
    /// </summary>
    public static bool SeesAll(HttpContext context) =>
        ClientIdentity.Of(context) is { IsAdmin: true } or { SeesMetrics: true };

    /// <summary>Whether the sender may read a database.</summary>
    public static bool MayRead(HttpContext context, string database) =>
        ClientIdentity.Of(context).On(database) >= DatabaseAccess.Read;
}
