using System.Security.Cryptography.X509Certificates;
using Akka.Configuration;
using Pipeline.Database.Certificates;

namespace Pipeline.Akka.Persistence.Connections;

/// <summary>How a plugin shows a server who it is, and which server it trusts, as its configuration says.</summary>
/// <param name="Certificate">The client's certificate: a PFX file, or PEM; empty for none.</param>
/// <param name="Key">The key in PEM, where it is in a file of its own.</param>
/// <param name="Password">The password of the PFX file, or of the encrypted key.</param>
/// <param name="ServerThumbprint">The SHA-256 thumbprint of the server's certificate; empty where the system's authorities say which are trusted.</param>
internal sealed record ConnectionTls(string Certificate, string Key, string Password, string ServerThumbprint)
{
    internal static ConnectionTls None { get; } = new("", "", "", "");

    internal static ConnectionTls Read(Config config, string plugin)
    {
        var tls = new ConnectionTls(config.GetString("tls.certificate", ""), config.GetString("tls.key", ""), config.GetString("tls.password", ""), config.GetString("tls.server-thumbprint", ""));
        if (tls.Certificate.Length == 0 && tls.Key.Length + tls.Password.Length > 0) throw new ConfigurationException($"The plugin '{plugin}' has a 'tls.key' or 'tls.password' but no 'tls.certificate'.");
        if (tls.ServerThumbprint.Length > 0 && !CertificateThumbprint.TryParse(tls.ServerThumbprint, out _))
            throw new ConfigurationException($"The plugin '{plugin}' has a 'tls.server-thumbprint' that is none: SHA-256, 64 hexadecimal digits, is needed.");
        return tls;
    }

    /// <summary>What connects.</summary>
    /// <exception cref="CertificateFileException">The certificate cannot be used.</exception>
    internal SocketsHttpHandler Handler()
    {
        X509Certificate2? client = Certificate.Length == 0 ? null : CertificateFile.Load(Certificate, Key.Length == 0 ? null : Key, Password.Length == 0 ? null : Password);
        return CertificateTrust.Handler(client, CertificateThumbprint.TryParse(ServerThumbprint, out CertificateThumbprint? server) ? server : null);
    }

    /// <summary>Without what is secret.</summary>
    public override string ToString() => Certificate.Length == 0 ? "no certificate" : $"the certificate {Certificate}";
}
