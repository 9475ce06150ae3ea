using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Routing;
using Pipeline.Database.Certificates;
using Pipeline.Server.Settings;

namespace Pipeline.Hosting;

/// <summary><c>GET /clients</c>: the server's certificate, and which certificates may do what.</summary>
internal static class ClientsEndpoint
{
    /// <summary>Adds the path.</summary>
    public static void Map(IEndpointRouteBuilder application, ServerOptions options) =>
        application.MapGet("/clients", context => AdminAnswer.DoAsync(context, () => Of(options)));

    private static object Of(ServerOptions options)
    {
        var certificate = options.Certificate;
        var isRead = true;
        if (options.CertificateFiles is { } files)
        {
            try
            {
                certificate = files.Load();
            }
            catch (CertificateFileException)
            {
                // The file is being replaced: the server uses the certificate of before.
                isRead = false;
            }
        }

        return new
        {
            authenticates = certificate is not null,
            url = options.Url,
            certificate = certificate is null
                ? null
                : new
                {
                    subject = certificate.Subject,
                    thumbprint = CertificateThumbprint.Of(certificate).ToString(),
                    notBefore = certificate.NotBefore.ToUniversalTime(),
                    notAfter = certificate.NotAfter.ToUniversalTime(),
                    file = options.CertificateFiles?.File,
                    isFileReadable = isRead,
                },
            clients = options.Clients.Select(c => new
            {
                name = c.Name,
                thumbprint = c.Thumbprint.ToString(),
                isAdmin = c.IsAdmin,
                seesMetrics = c.SeesMetrics,
                databases = c.Databases.ToDictionary(d => d.Key, d => Word(d.Value)),
            }),
        };
    }

    private static string Word(DatabaseAccess access) =>
        access switch
        {
            DatabaseAccess.Admin => "admin",
            DatabaseAccess.ReadWrite => "readWrite",
            _ => "read",
        };
}
