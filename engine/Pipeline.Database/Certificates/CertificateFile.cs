using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Pipeline.Database.Certificates;

/// <summary>Reads a certificate with its private key.</summary>
public static class CertificateFile
{
    /// <summary>Reads a PFX file, or a PEM file with the key in it or in a separate file.</summary>
    /// <param name="file">The certificate.</param>
    /// <param name="keyFile">The key in PEM; null if it is in <paramref name="file"/>.</param>
    /// <param name="password">The password of the PFX or of the encrypted key; null if there is none.</param>
    /// <exception cref="CertificateFileException">A file is missing, or cannot be used.</exception>
    public static X509Certificate2 Load(string file, string? keyFile = null, string? password = null)
    {
        foreach (var path in (string?[])[file, keyFile])
        {
            if (path is not null && !File.Exists(path))
                throw new CertificateFileException(path, "there is no such file");
        }
        try
        {
            if (X509Certificate2.GetCertContentType(file) == X509ContentType.Pfx)
                return Check(file, X509CertificateLoader.LoadPkcs12FromFile(file, password));
            using var read = password is null
                ? X509Certificate2.CreateFromPemFile(file, keyFile)
                : X509Certificate2.CreateFromEncryptedPemFile(file, password, keyFile);
            // TLS on some systems cannot use a key that exists only in memory, in the form that was read.
            return Check(file, X509CertificateLoader.LoadPkcs12(read.Export(X509ContentType.Pfx), null));
        }
        catch (Exception e)
            when (e is CryptographicException or IOException or UnauthorizedAccessException or ArgumentException)
        {
            throw new CertificateFileException(
                file,
                $"it cannot be read: {e.Message.TrimEnd('.')}; a PFX file, or PEM with the private key, and its password are needed",
                e
            );
        }
    }

    private static X509Certificate2 Check(string file, X509Certificate2 certificate) =>
        certificate.HasPrivateKey ? certificate : throw new CertificateFileException(file, "it has no private key");
}

/// <summary>A certificate cannot be used.</summary>
public sealed class CertificateFileException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="file">The file.</param>
    /// <param name="reason">Why not.</param>
    /// <param name="inner">The system's error.</param>
    public CertificateFileException(string file, string reason, Exception? inner = null)
        : base($"The certificate {file} cannot be used: {reason}.", inner) => File = file;

    /// <summary>The file.</summary>
    public string File { get; }
}
