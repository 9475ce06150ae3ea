using Pipeline.Yaml.Binding;
using Pipeline.Yaml.Nodes;

namespace Pipeline.Configuration;

/// <summary>Checks what types alone cannot express about <c>server</c>.</summary>
internal sealed class ServerCheck(SettingsBinder binder)
{
    /// <summary>Checks the section and makes its paths absolute.</summary>
    public void Check(ServerConfiguration server, string baseDirectory)
    {
        // Nothing can be said of an address whose variable is not set here.
        if (binder.FindNode(server, "url") is not { } url || !binder.HasFaultAt(url))
            CheckAddress(server);
        if (server.Certificate is { } certificate)
        {
            binder.CheckPath(binder.FindNode(certificate, "file"), "server.certificate.file", certificate.File);
            if (certificate.File.Length > 0)
                certificate.File = Path.GetFullPath(certificate.File, baseDirectory);
            if (certificate.Key is { Length: > 0 } key)
                certificate.Key = Path.GetFullPath(key, baseDirectory);
        }

        foreach (var client in server.Clients)
        {
            if (
                binder.FindNode(client, "thumbprint") is not ScalarNode { IsNull: false } thumbprint
                || binder.HasFaultAt(thumbprint)
            )
            {
                continue;
            }

            if (
                client.Thumbprint.Replace(":", "", StringComparison.Ordinal) is not { Length: 64 } digits
                || !digits.All(char.IsAsciiHexDigit)
            )
            {
                binder.Report(
                    thumbprint,
                    $"the thumbprint of client '{client.Name}' must have 64 hexadecimal digits (SHA-256), found {client.Thumbprint.Length} characters",
                    "openssl x509 -noout -fingerprint -sha256 -in client.pem"
                );
            }
        }
    }

    private void CheckAddress(ServerConfiguration server)
    {
        var url = server.Url;
        var found = binder.FindNode(server, "url")?.Describe();
        var isTls = url.Scheme == Uri.UriSchemeHttps;
        if (!isTls && url.Scheme != Uri.UriSchemeHttp)
        {
            binder.ReportAt(server, "url", $"server.url must begin with http:// or https://, found {found}", null);
        }
        else if (url.HostNameType is not (UriHostNameType.IPv4 or UriHostNameType.IPv6) && url.Host != "localhost")
        {
            // A name would make the server listen on every interface.
            binder.ReportAt(
                server,
                "url",
                $"server.url must have an IP address or localhost as its host, found {found}",
                "0.0.0.0 listens on every interface"
            );
        }
        else if (url.PathAndQuery != "/")
        {
            binder.ReportAt(
                server,
                "url",
                $"server.url ends with the port, found {found}",
                $"write {url.GetLeftPart(UriPartial.Authority)}"
            );
        }
        else if (isTls && binder.FindNode(server, "certificate") is null)
        {
            binder.ReportAt(
                server,
                "url",
                $"server.url is {found}, and there is no certificate",
                "add server.certificate: { file: server.pfx, password: ${PFX_PASSWORD} }"
            );
        }
        else if (!isTls && server.Certificate is not null)
        {
            binder.ReportAt(
                server,
                "certificate",
                "server.certificate needs a server.url that begins with https://",
                null
            );
        }
        else if (!isTls && server.Clients.Count > 0)
        {
            binder.ReportAt(
                server,
                "clients",
                "server.clients are identified by certificates, so server.url must begin with https://",
                null
            );
        }
        else if (
            !url.IsLoopback
            && server.Clients.Count == 0
            && !server.AllowInsecure
            && binder.FindNode(server, "clients") is not SequenceNode { Items.Count: > 0 }
        )
        {
            binder.ReportAt(
                server,
                "url",
                $"server.url is {found}, which other machines can reach, and clients would not be authenticated",
                "listen on 127.0.0.1, name the clients under server.clients, or write allowInsecure: true if a firewall or proxy keeps others out"
            );
        }
    }
}
