using System.Security.Cryptography.X509Certificates;

namespace Pipeline.Database.Certificates;

/// <summary>How a client authenticates itself to a server over TLS, and which server it trusts.</summary>
public static class CertificateTrust
{
    /// <summary>The handler that connects; the caller may set more of its options.</summary>
    /// <param name="client">The client's certificate with its key; null if the server asks for none.</param>
    /// <param name="server">The only server certificate to trust; null if the system's authorities decide.</param>
    public static SocketsHttpHandler Handler(X509Certificate2? client, CertificateThumbprint? server)
    {
        var handler = new SocketsHttpHandler();
        if (client is not null)
            handler.SslOptions.ClientCertificates = [client];
        if (server is not null)
        {
            handler.SslOptions.RemoteCertificateValidationCallback = (_, certificate, _, _) =>
                certificate is X509Certificate2 its && server.Equals(CertificateThumbprint.Of(its));
        }

        return handler;
    }
}
