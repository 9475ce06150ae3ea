using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Pipeline.Database.Certificates;

/// <summary>The SHA-256 digest of a certificate, which identifies it. Compared in constant time. Immutable.</summary>
public sealed class CertificateThumbprint : IEquatable<CertificateThumbprint>
{
    private readonly byte[] _digest;

    private CertificateThumbprint(byte[] digest) => _digest = digest;

    /// <summary>The thumbprint of a certificate.</summary>
    public static CertificateThumbprint Of(X509Certificate2 certificate)
    {
        ArgumentNullException.ThrowIfNull(certificate);
        return new CertificateThumbprint(SHA256.HashData(certificate.RawDataMemory.Span));
    }

    /// <summary>
    /// Reads 64 hexadecimal digits, with or without colons between them, as <c>openssl x509 -noout -fingerprint
    /// -sha256</c> prints them.
    /// </summary>
    public static bool TryParse(string text, [NotNullWhen(true)] out CertificateThumbprint? thumbprint)
    {
        ArgumentNullException.ThrowIfNull(text);
        thumbprint = null;
        var digits = text.Replace(":", "", StringComparison.Ordinal);
        if (digits.Length != 2 * SHA256.HashSizeInBytes || !digits.All(char.IsAsciiHexDigit))
            return false;
        thumbprint = new CertificateThumbprint(Convert.FromHexString(digits));
        return true;
    }

    /// <inheritdoc/>
    public bool Equals(CertificateThumbprint? other) =>
        other is not null && CryptographicOperations.FixedTimeEquals(_digest, other._digest);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => Equals(obj as CertificateThumbprint);

    /// <inheritdoc/>
    public override int GetHashCode() => BitConverter.ToInt32(_digest);

    /// <summary>64 hexadecimal digits.</summary>
    public override string ToString() => Convert.ToHexString(_digest);
}
