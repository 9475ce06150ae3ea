using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Pipeline.TestKit.Certificates;

/// <summary>
/// A test authority in a folder, and certificates that it signed for a server on this machine and for a client, all as
/// PEM.
/// </summary>
public sealed class TlsFiles
{
    private TlsFiles(string folder) => Folder = folder;

    /// <summary>The folder.</summary>
    public string Folder { get; }

    /// <summary>The authority's certificate.</summary>
    public string Authority => Path.Combine(Folder, "ca.pem");

    /// <summary>Certificate and key of the server, for <c>127.0.0.1</c> and <c>localhost</c>.</summary>
    public string Server => Path.Combine(Folder, "server.pem");

    /// <summary>Certificate and key of the client.</summary>
    public string Client => Path.Combine(Folder, "client.pem");

    /// <summary>Makes the files.</summary>
    /// <param name="folder">The folder; created if missing.</param>
    /// <param name="authority">The authority's name.</param>
    public static TlsFiles Make(string folder, string authority)
    {
        var files = new TlsFiles(Directory.CreateDirectory(folder).FullName);
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest($"CN={authority}", key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(
            new X509BasicConstraintsExtension(
                certificateAuthority: true,
                hasPathLengthConstraint: false,
                pathLengthConstraint: 0,
                critical: true
            )
        );
        request.CertificateExtensions.Add(
            new X509KeyUsageExtension(X509KeyUsageFlags.KeyCertSign | X509KeyUsageFlags.CrlSign, critical: true)
        );
        request.CertificateExtensions.Add(new X509SubjectKeyIdentifierExtension(request.PublicKey, critical: false));
        using var made = request.CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(10));
        File.WriteAllText(files.Authority, made.ExportCertificatePem() + "\n");
        File.WriteAllText(files.Server, Issue(made, "the test's broker"));
        File.WriteAllText(files.Client, Issue(made, "the test's client"));
        return files;
    }

    private static string Issue(X509Certificate2 authority, string name)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest($"CN={name}", key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        names.AddIpAddress(IPAddress.Loopback);
        names.AddDnsName("localhost");
        request.CertificateExtensions.Add(names.Build());
        request.CertificateExtensions.Add(
            X509AuthorityKeyIdentifierExtension.CreateFromCertificate(
                authority,
                includeKeyIdentifier: true,
                includeIssuerAndSerial: false
            )
        );
        using var made = request.Create(
            authority,
            authority.NotBefore,
            authority.NotAfter,
            RandomNumberGenerator.GetBytes(8)
        );
        return made.ExportCertificatePem() + "\n" + key.ExportPkcs8PrivateKeyPem() + "\n";
    }
}
