using Microsoft.AspNetCore.Http;

namespace Pipeline.Server.Security;

/// <summary>Marks a request that arrived through another web application, which has authorized its client.</summary>
internal sealed class MountedRequest
{
    private MountedRequest() { }

    /// <summary>The one instance.</summary>
    public static MountedRequest Instance { get; } = new();

    /// <summary>Whether a request arrived so.</summary>
    public static bool Is(HttpContext context) => context.Features.Get<MountedRequest>() is not null;
}
