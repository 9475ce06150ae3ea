using System.Net;
using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Http;

namespace Pipeline.Hosting.Mapping;

/// <summary>
/// Decides whether a request may reach a mapped server. Every admitted client is an admin of the server unless users
/// have rights, so the application must set an authorization policy. Until it does, only this machine may connect.
/// </summary>
internal static class MappedAccess
{
    private const string Remedy =
        "call RequireAuthorization() on what MapPipeline returns, or AllowAnonymous() if everybody may administer the databases";

    // A proxy on this machine makes every client look local.
    private static readonly string[] ProxyHeaders =
    [
        "Forwarded",
        "Via",
        "X-Forwarded-For",
        "X-Forwarded-Host",
        "X-Forwarded-Proto",
        "X-Forwarded-Prefix",
        "X-Original-For",
        "X-Original-Host",
        "X-Original-Proto",
        "X-Real-IP",
    ];

    /// <summary>Why a request is refused; null if it is not.</summary>
    public static string? Problem(HttpContext context)
    {
        var metadata = context.GetEndpoint()?.Metadata;
        if (metadata?.GetMetadata<IAuthorizeData>() is not null || metadata?.GetMetadata<IAllowAnonymous>() is not null)
            return null;
        if (context.Connection.RemoteIpAddress is not { } address || !IsLoopback(address))
            return $"Pipeline answers only clients on this machine until the application sets an authorization policy: {Remedy}.";
        if (ProxyHeaders.FirstOrDefault(h => context.Request.Headers.ContainsKey(h)) is { } header)
            return $"The request came through a proxy ({header}), so its client is not known to be on this machine: {Remedy}.";

        // A page of another site may have made its own host name resolve to this machine.
        var host = context.Request.Host.Host;
        return host == "localhost" || IPAddress.TryParse(host.Trim('[', ']'), out _)
            ? null
            : $"Without authorization, Pipeline is called by its address or as localhost, not '{host}': {Remedy}.";
    }

    private static bool IsLoopback(IPAddress address) =>
        IPAddress.IsLoopback(address.IsIPv4MappedToIPv6 ? address.MapToIPv4() : address);
}
