using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Pipeline.Database.Certificates;
using Pipeline.Server.Answers;
using Pipeline.Server.Settings;

namespace Pipeline.Server.Security;

/// <summary>
/// Identifies clients by certificate. TLS has verified that the client holds the key. The thumbprint decides, whichever
/// authority signed the certificate. Thread-safe.
/// </summary>
internal sealed class ClientAuthentication(ServerOptions options)
{
    private readonly (CertificateThumbprint Thumbprint, ClientIdentity Identity)[] _clients =
    [
        .. options.Clients.Select(c => (c.Thumbprint, new ClientIdentity(c))),
    ];

    /// <summary>Whether clients are authenticated.</summary>
    public bool IsOn { get; } = options.Certificate is not null && options.Clients.Count > 0;

    /// <summary>
    /// The client with a certificate. Compares every thumbprint, so that the response time reveals nothing.
    /// </summary>
    public ClientIdentity Identify(X509Certificate2? certificate)
    {
        if (!IsOn)
            return ClientIdentity.Trusted;
        if (certificate is null)
            return ClientIdentity.Unknown("a client without a certificate");
        var thumbprint = CertificateThumbprint.Of(certificate);
        ClientIdentity? found = null;
        foreach (var (known, identity) in _clients)
        {
            if (known.Equals(thumbprint))
                found = identity;
        }
        var now = options.Time.GetUtcNow().UtcDateTime;
        if (
            found is not null
            && (now < certificate.NotBefore.ToUniversalTime() || now > certificate.NotAfter.ToUniversalTime())
        )
        {
            return ClientIdentity.Unknown(
                $"{found.Name}, whose certificate is valid from {certificate.NotBefore:u} to {certificate.NotAfter:u}"
            );
        }

        // A client that may do less than a node does not become one by sharing its certificate.
        foreach (var node in options.Cluster?.Certificates ?? [])
        {
            if (node.Equals(thumbprint) && found is null)
                found = ClientIdentity.Node;
        }
        return found ?? ClientIdentity.Unknown($"a client whose certificate has the unknown thumbprint {thumbprint}");
    }

    /// <summary>The client that another node has authenticated.</summary>
    /// <param name="thumbprint">The thumbprint of its certificate; empty if it is not known.</param>
    public ClientIdentity Find(string thumbprint)
    {
        if (CertificateThumbprint.TryParse(thumbprint, out var wanted))
        {
            foreach (var (known, identity) in _clients)
            {
                if (known.Equals(wanted))
                    return identity;
            }
        }
        return ClientIdentity.Unknown("a client of another node that is not known here");
    }

    /// <summary>Refuses endpoints that the client may not use.</summary>
    public static Task RunAsync(HttpContext context, RequestDelegate next, ILogger logger)
    {
        var identity = ClientIdentity.Of(context);
        if (context.GetEndpoint() is not { } endpoint)
            return next(context);
        var needed = endpoint.Metadata.GetMetadata<ClearanceMetadata>()?.Clearance ?? ServerClearance.Admin;
        return needed is ServerClearance.Own or ServerClearance.Anybody || identity.IsAdmin
            ? next(context)
            : ErrorAnswer.GuardAsync(
                context,
                logger,
                (context, next, identity, needed),
                static r =>
                {
                    r.identity.Demand(r.needed, $"{r.context.Request.Method} {r.context.Request.Path}");
                    return r.next(r.context);
                }
            );
    }
}
