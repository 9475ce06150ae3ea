using System.Security.Cryptography.X509Certificates;
using Pipeline.Server.Security;
using Pipeline.Worker.Hosting;

namespace Pipeline.Worker.CommandLine;

/// <summary>
/// How commands reach a worker over TLS, by environment variables: <c>PIPELINE_CLIENT_CERTIFICATE</c> (a PFX or PEM file with the key) and <c>PIPELINE_CLIENT_PASSWORD</c> say who asks,
/// <c>PIPELINE_SERVER_THUMBPRINT</c> (SHA-256) which certificate is trusted where no authority of the system signed it.
/// </summary>
internal static class WorkerTrust
{
    /// <summary>What connects.</summary>
    /// <exception cref="WorkerException">A variable's value cannot be used.</exception>
    public static SocketsHttpHandler Handler()
    {
        var handler = new SocketsHttpHandler();
        if (Variable("PIPELINE_CLIENT_CERTIFICATE") is { } file)
            handler.SslOptions.ClientCertificates = [Load(file)];
        if (Variable("PIPELINE_SERVER_THUMBPRINT") is { } text)
        {
            var trusted = CertificateThumbprint.TryParse(text, out var given)
                ? given
                : throw new WorkerException("PIPELINE_SERVER_THUMBPRINT has no 64 hexadecimal digits", ExitCodes.Usage);
            handler.SslOptions.RemoteCertificateValidationCallback = (_, certificate, _, _) => certificate is X509Certificate2 its && trusted.Equals(CertificateThumbprint.Of(its));
        }
        return handler;
    }

    private static X509Certificate2 Load(string file)
    {
        try
        {
            return ServerCertificate.Load(file, null, Variable("PIPELINE_CLIENT_PASSWORD"));
        }
        catch (ServerCertificateException e)
        {
            throw new WorkerException($"{e.Message.TrimEnd('.')} (PIPELINE_CLIENT_CERTIFICATE)", ExitCodes.Usage, e);
        }
    }

    private static string? Variable(string name) => Environment.GetEnvironmentVariable(name) is { Length: > 0 } value ? value : null;
}
