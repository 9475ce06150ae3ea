using Microsoft.AspNetCore.Builder;

namespace Pipeline.Server.Security;

/// <summary>Who may use an endpoint that belongs to no database. One that says nothing is for admins.</summary>
public enum ServerClearance
{
    /// <summary>The server's admins.</summary>
    Admin,

    /// <summary>Whoever has a certificate that is known.</summary>
    Known,

    /// <summary>Everybody who reaches the port: for probes.</summary>
    Anybody,

    /// <summary>The endpoint asks for itself.</summary>
    Own,
}

/// <summary>Says who may use an endpoint.</summary>
public static class ServerClearanceExtensions
{
    /// <summary>Says who may use an endpoint.</summary>
    public static TBuilder For<TBuilder>(this TBuilder endpoint, ServerClearance clearance)
        where TBuilder : IEndpointConventionBuilder
    {
        endpoint.Add(e => e.Metadata.Add(new ClearanceMetadata(clearance)));
        return endpoint;
    }
}
