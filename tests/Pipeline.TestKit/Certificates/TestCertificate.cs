using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Pipeline.TestKit.Certificates;

/// <summary>Certificates that sign themselves, for this machine.</summary>
public static class TestCertificate
{
    /// <summary>Makes one with its key; good for server and client.</summary>
    /// <param name="name">Whose.</param>
    /// <param name="validDays">For how many days from yesterday on; 0 or fewer make one that is over.</param>
    public static X509Certificate2 Make(string name, int validDays = 10)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest($"CN={name}", key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        names.AddIpAddress(IPAddress.Loopback);
        names.AddDnsName("localhost");
        request.CertificateExtensions.Add(names.Build());
        var end = DateTimeOffset.UtcNow.AddDays(validDays - 1);
        using var made = request.CreateSelfSigned(end.AddDays(-30), end);
        return X509CertificateLoader.LoadPkcs12(made.Export(X509ContentType.Pfx), null, X509KeyStorageFlags.Exportable);
    }

    /// <summary>Certificate and key as text.</summary>
    public static string ToPem(X509Certificate2 certificate) =>
        certificate.ExportCertificatePem() + "\n" + KeyToPem(certificate) + "\n";

    /// <summary>The key as text.</summary>
    public static string KeyToPem(X509Certificate2 certificate)
    {
        using var key =
            certificate.GetECDsaPrivateKey() ?? throw new ArgumentException("It has no key.", nameof(certificate));
        return key.ExportPkcs8PrivateKeyPem();
    }
}
