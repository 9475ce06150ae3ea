using Microsoft.AspNetCore.Builder;

namespace Pipeline.Server.Security;

/// <summary>Which clients may use an endpoint that does not belong to a database. The default is the admins.</summary>
public enum ServerClearance
{
    /// <summary>The server's admins.</summary>
    Admin,

    /// <summary>Any client with a known certificate.</summary>
    Known,

    /// <summary>Any client that reaches the port: for probes.</summary>
    Anybody,

    /// <summary>The endpoint checks the client itself.</summary>
    Own,
}

/// <summary>Sets which clients may use an endpoint.</summary>
public static class ServerClearanceExtensions
{
    /// <summary>Sets which clients may use an endpoint.</summary>
    public static TBuilder For<TBuilder>(this TBuilder endpoint, ServerClearance clearance)
        where TBuilder : IEndpointConventionBuilder
    {
        endpoint.Add(e => e.Metadata.Add(new ClearanceMetadata(clearance)));
        return endpoint;
    }
}

/// <summary>An endpoint's clearance.</summary>
internal sealed record ClearanceMetadata(ServerClearance Clearance);
