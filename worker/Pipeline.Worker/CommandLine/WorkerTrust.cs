using System.Security.Cryptography.X509Certificates;
using Pipeline.Database.Certificates;

namespace Pipeline.Worker.CommandLine;

/// <summary>
/// Configures how commands connect to a worker over TLS, by environment variables. <c>PIPELINE_CLIENT_CERTIFICATE</c>
/// (a PFX or PEM file with the key) and
/// <c>PIPELINE_CLIENT_PASSWORD</c> identify the client. <c>PIPELINE_SERVER_THUMBPRINT</c> (SHA-256) names a trusted
/// certificate that no system authority signed.
/// </summary>
internal static class WorkerTrust
{
    /// <summary>Creates the HTTP handler.</summary>
    /// <exception cref="WorkerException">A variable's value cannot be used.</exception>
    public static SocketsHttpHandler Handler()
    {
        CertificateThumbprint? trusted = null;
        if (Variable("PIPELINE_SERVER_THUMBPRINT") is { } text && !CertificateThumbprint.TryParse(text, out trusted))
            throw new WorkerException("PIPELINE_SERVER_THUMBPRINT must have 64 hexadecimal digits", ExitCodes.Usage);
        return CertificateTrust.Handler(
            Variable("PIPELINE_CLIENT_CERTIFICATE") is { } file ? Load(file) : null,
            trusted
        );
    }

    private static X509Certificate2 Load(string file)
    {
        try
        {
            return CertificateFile.Load(file, null, Variable("PIPELINE_CLIENT_PASSWORD"));
        }
        catch (CertificateFileException e)
        {
            throw new WorkerException($"{e.Message.TrimEnd('.')} (PIPELINE_CLIENT_CERTIFICATE)", ExitCodes.Usage, e);
        }
    }

    private static string? Variable(string name) =>
        Environment.GetEnvironmentVariable(name) is { Length: > 0 } value ? value : null;
}
