using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Pipeline.Database.Certificates;

/// <summary>The source of a certificate with its private key, which can be read repeatedly. Immutable.</summary>
/// <param name="File">The certificate: PFX, or PEM.</param>
/// <param name="KeyFile">The key in PEM; null if it is in <paramref name="File"/>.</param>
/// <param name="Password">The password of the PFX or of the encrypted key; null if there is none.</param>
public sealed record CertificateFiles(string File, string? KeyFile = null, string? Password = null)
{
    /// <summary>Reads the certificate.</summary>
    /// <exception cref="CertificateFileException">A file is missing, or cannot be used.</exception>
    public X509Certificate2 Load() => CertificateFile.Load(File, KeyFile, Password);

    /// <summary>
    /// A hash of the files' current content. Times of files are less reliable: a link keeps its time when the file
    /// behind it is replaced.
    /// </summary>
    /// <exception cref="CertificateFileException">A file is missing, or cannot be read.</exception>
    public string ReadHash()
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        foreach (var path in (string?[])[File, KeyFile])
        {
            if (path is null)
                continue;
            try
            {
                hash.AppendData(System.IO.File.ReadAllBytes(path));
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                throw new CertificateFileException(path, $"it cannot be read: {e.Message.TrimEnd('.')}", e);
            }
        }
        return Convert.ToHexString(hash.GetHashAndReset());
    }

    /// <inheritdoc/>
    public override string ToString() => File;
}
