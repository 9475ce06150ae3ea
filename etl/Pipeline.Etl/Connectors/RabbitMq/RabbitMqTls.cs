using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Pipeline.Database.Certificates;
using RabbitMQ.Client;

namespace Pipeline.Etl.Connectors.RabbitMq;

/// <summary>
/// The authorities that an <c>amqps:</c> connection trusts, and its client certificate. Can be used for one connection
/// after another.
/// </summary>
internal sealed class RabbitMqTls(RabbitMqOptions options, string baseDirectory)
{
    private const string ServerAuthentication = "1.3.6.1.5.5.7.3.1";

    private X509Certificate2Collection? _authorities;
    private volatile string? _fault;

    /// <summary>Why the broker's certificate was refused since <see cref="Prepare"/>, or null.</summary>
    internal string? Fault => _fault;

    /// <summary>Rereads the files, so that the next connection uses renewed ones.</summary>
    /// <exception cref="CertificateFileException">A file is missing, or cannot be used.</exception>
    internal void Prepare(SslOption ssl)
    {
        _fault = null;
        if (options.SslCaLocation is { } authorities)
            _authorities = ReadAuthorities(Full(authorities));
        if (options.SslCertificateLocation is { } own)
            ssl.Certs = [CertificateFile.Load(Full(own), options.SslKeyLocation is { } key ? Full(key) : null)];
        ssl.CertificateValidationCallback = (_, certificate, chain, errors) =>
            (_fault = FindFault(certificate, chain, errors)) is null;
    }

    private static X509Certificate2Collection ReadAuthorities(string file)
    {
        if (!File.Exists(file))
            throw new CertificateFileException(file, "there is no such file");
        var authorities = new X509Certificate2Collection();
        try
        {
            authorities.ImportFromPemFile(file);
        }
        catch (Exception e) when (e is CryptographicException or IOException or UnauthorizedAccessException)
        {
            throw new CertificateFileException(file, $"it cannot be read: {e.Message.TrimEnd('.')}", e);
        }

        return authorities.Count > 0
            ? authorities
            : throw new CertificateFileException(file, "it holds no certificate in PEM");
    }

    private string Full(string path) => Path.GetFullPath(path, baseDirectory);

    private string? FindFault(X509Certificate? certificate, X509Chain? chain, SslPolicyErrors errors)
    {
        if (certificate is null || chain is null || errors.HasFlag(SslPolicyErrors.RemoteCertificateNotAvailable))
            return "the broker shows no certificate";
        var name = $"the broker's certificate '{certificate.Subject}' (issued by '{certificate.Issuer}')";
        if (errors.HasFlag(SslPolicyErrors.RemoteCertificateNameMismatch))
            return $"{name} is not for the host that 'uri' names";
        if (_authorities is null)
        {
            return errors == SslPolicyErrors.None
                ? null
                : $"{name} is not trusted: {Describe(chain)}; 'sslCaLocation' names a file of further authorities";
        }

        using var ours = new X509Chain
        {
            ChainPolicy =
            {
                TrustMode = X509ChainTrustMode.CustomRootTrust,
                RevocationMode = X509RevocationMode.NoCheck,
                ApplicationPolicy = { new Oid(ServerAuthentication) },
            },
        };
        ours.ChainPolicy.CustomTrustStore.AddRange(_authorities);
        ours.ChainPolicy.ExtraStore.AddRange(chain.ChainPolicy.ExtraStore);
        using var leaf = X509CertificateLoader.LoadCertificate(certificate.GetRawCertData());
        return ours.Build(leaf)
            ? null
            : $"{name} is not trusted by the authorities in '{options.SslCaLocation}' (sslCaLocation): {Describe(ours)}";
    }

    private static string Describe(X509Chain chain) =>
        string.Join("; ", chain.ChainStatus.Select(s => s.StatusInformation.Trim().TrimEnd('.')).Distinct());
}
