namespace Pipeline.Database.Certificates;

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
