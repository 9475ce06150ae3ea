using System.Security.Cryptography.X509Certificates;

namespace Pipeline.Database.Certificates;

/// <summary>How a client of a server shows over TLS who it is, and which server it trusts.</summary>
public static class CertificateTrust
{
    /// <summary>What connects; the caller may set more of it.</summary>
    /// <param name="client">The client's certificate with its key; null where the server asks for none.</param>
    /// <param name="server">The server's certificate, which is trusted, and no other; null where the system's authorities say which are.</param>
    public static SocketsHttpHandler Handler(X509Certificate2? client, CertificateThumbprint? server)
    {
        var handler = new SocketsHttpHandler();
        if (client is not null)
            handler.SslOptions.ClientCertificates = [client];
        if (server is not null)
            handler.SslOptions.RemoteCertificateValidationCallback = (_, certificate, _, _) => certificate is X509Certificate2 its && server.Equals(CertificateThumbprint.Of(its));
        return handler;
    }
}
