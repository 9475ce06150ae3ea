using Microsoft.AspNetCore.Http;

namespace Pipeline.Server.Security;

/// <summary>What the sender of a request may see, for endpoints that a host adds. Where the server authenticates nobody, everybody may see all.</summary>
public static class RequestRights
{
    /// <summary>Whether the sender may see the names and figures of all databases: an admin of the server, or a client with the right to its metrics.</summary>
    public static bool SeesAll(HttpContext context) => ClientIdentity.Of(context) is { IsAdmin: true } or { SeesMetrics: true };

    /// <summary>Whether the sender may read a database.</summary>
    public static bool MayRead(HttpContext context, string database) => ClientIdentity.Of(context).On(database) >= DatabaseAccess.Read;
}
