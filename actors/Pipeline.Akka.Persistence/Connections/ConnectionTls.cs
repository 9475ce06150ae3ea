using Akka.Configuration;
using Pipeline.Database.Certificates;

namespace Pipeline.Akka.Persistence.Connections;

/// <summary>The configured client certificate of a plugin, and the server that it trusts.</summary>
/// <param name="Certificate">The client's certificate: a PFX file, or PEM; empty for none.</param>
/// <param name="Key">The key in PEM, if it is in a separate file.</param>
/// <param name="Password">The password of the PFX file, or of the encrypted key.</param>
/// <param name="ServerThumbprint">
/// The SHA-256 thumbprint of the server's certificate; empty to trust the system's authorities.
/// </param>
internal sealed record ConnectionTls(string Certificate, string Key, string Password, string ServerThumbprint)
{
    internal static ConnectionTls None { get; } = new("", "", "", "");

    internal static ConnectionTls Read(Config config, string plugin)
    {
        var tls = new ConnectionTls(
            config.GetString("tls.certificate", ""),
            config.GetString("tls.key", ""),
            config.GetString("tls.password", ""),
            config.GetString("tls.server-thumbprint", "")
        );
        if (tls.Certificate.Length == 0 && tls.Key.Length + tls.Password.Length > 0)
        {
            throw new ConfigurationException(
                $"The plugin '{plugin}' has a 'tls.key' or 'tls.password' but no 'tls.certificate'."
            );
        }

        if (tls.ServerThumbprint.Length > 0 && !CertificateThumbprint.TryParse(tls.ServerThumbprint, out _))
        {
            throw new ConfigurationException(
                $"The plugin '{plugin}' has an invalid 'tls.server-thumbprint': 64 hexadecimal digits (SHA-256) are needed."
            );
        }

        return tls;
    }

    /// <summary>Creates the HTTP handler for the connection.</summary>
    /// <exception cref="CertificateFileException">The certificate cannot be used.</exception>
    internal SocketsHttpHandler Handler()
    {
        var client =
            Certificate.Length == 0
                ? null
                : CertificateFile.Load(
                    Certificate,
                    Key.Length == 0 ? null : Key,
                    Password.Length == 0 ? null : Password
                );
        return CertificateTrust.Handler(
            client,
            CertificateThumbprint.TryParse(ServerThumbprint, out var server) ? server : null
        );
    }

    /// <summary>A description without secrets.</summary>
    public override string ToString() => Certificate.Length == 0 ? "no certificate" : $"the certificate {Certificate}";
}
