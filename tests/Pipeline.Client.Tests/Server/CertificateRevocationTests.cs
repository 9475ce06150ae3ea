using System.Net;
using System.Security.Cryptography.X509Certificates;
using Pipeline.Database.Certificates;
using Pipeline.Server;
using Pipeline.Server.Hosting;
using Pipeline.Server.Security;
using Pipeline.Server.Settings;
using Pipeline.TestKit.Certificates;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Client.Tests.Server;

/// <summary>Certificates of clients that expire, are renewed or are removed while the server is used.</summary>
public sealed class CertificateRevocationTests
{
    private const string Document = "/databases/db/docs?id=a";
    private static readonly X509Certificate2 Host = TestCertificate.Make("server");

    [Fact]
    public async Task A_certificate_that_expires_ends_new_connections_and_leaves_open_ones()
    {
        using var certificate = TestCertificate.Make("reader", validDays: 2);
        var time = new ManualTimeProvider();
        time.Advance(certificate.NotAfter.ToUniversalTime() - time.GetUtcNow().UtcDateTime - TimeSpan.FromSeconds(1));
        await using var server = await StartAsync(time, certificate);
        using var open = Client(server.Url, certificate);
        Assert.Equal(HttpStatusCode.OK, await AskAsync(open));

        time.Advance(TimeSpan.FromSeconds(3));

        Assert.Equal(HttpStatusCode.OK, await AskAsync(open));
        using var later = Client(server.Url, certificate);
        Assert.Equal(HttpStatusCode.Forbidden, await AskAsync(later));
    }

    [Fact]
    public async Task A_renewed_certificate_is_a_stranger_until_it_is_listed()
    {
        using var before = TestCertificate.Make("reader");
        using var renewed = TestCertificate.Make("reader");
        await using (var server = await StartAsync(TimeProvider.System, before))
        {
            using var client = Client(server.Url, renewed);
            Assert.Equal(HttpStatusCode.Forbidden, await AskAsync(client));
        }

        await using (var server = await StartAsync(TimeProvider.System, before, renewed))
        {
            using var first = Client(server.Url, before);
            using var second = Client(server.Url, renewed);
            Assert.Equal(HttpStatusCode.OK, await AskAsync(first));
            Assert.Equal(HttpStatusCode.OK, await AskAsync(second));
        }
    }

    [Fact]
    public async Task A_removed_client_is_refused_after_a_restart_on_connections_that_it_keeps_open()
    {
        using var removed = TestCertificate.Make("removed");
        using var kept = TestCertificate.Make("kept");
        using var client = Client(null, removed);
        Uri url;
        await using (var server = await StartAsync(TimeProvider.System, removed, kept))
        {
            url = server.Url;
            Assert.Equal(HttpStatusCode.OK, await AskAsync(client, url));
        }

        await using (var server = await StartAsync(TimeProvider.System, url, kept))
        {
            Assert.Equal(HttpStatusCode.Forbidden, await AskAsync(client, url));
            using var other = Client(url, kept);
            Assert.Equal(HttpStatusCode.OK, await AskAsync(other));
        }
    }

    private static Task<PipelineServer> StartAsync(TimeProvider time, params X509Certificate2[] clients) =>
        StartAsync(time, new Uri("https://127.0.0.1:0"), clients);

    private static async Task<PipelineServer> StartAsync(TimeProvider time, Uri url, params X509Certificate2[] clients)
    {
        var server = await PipelineServer.StartAsync(
            new ServerOptions
            {
                Url = url,
                Certificate = Host,
                Time = time,
                Clients =
                [
                    .. clients.Select(
                        (c, i) =>
                            new ClientPermission
                            {
                                Name = $"client {i}",
                                Thumbprint = CertificateThumbprint.Of(c),
                                Databases = new Dictionary<string, DatabaseAccess> { ["db"] = DatabaseAccess.Read },
                            }
                    ),
                ],
            }
        );
        var database = await server.CreateDatabaseAsync("db");
        await database.PutAsync("a", "{}"u8.ToArray());
        return server;
    }

    private static async Task<HttpStatusCode> AskAsync(HttpClient client, Uri? url = null)
    {
        using var answer = await client.GetAsync(
            url is null ? new Uri(Document, UriKind.Relative) : new Uri(url, Document)
        );
        return answer.StatusCode;
    }

    private static HttpClient Client(Uri? url, X509Certificate2 certificate)
    {
        var handler = new SocketsHttpHandler
        {
            SslOptions =
            {
                ClientCertificates = [certificate],
                RemoteCertificateValidationCallback = (_, its, _, _) =>
                    its!.GetCertHashString() == Host.GetCertHashString(),
            },
        };
        return new HttpClient(handler) { BaseAddress = url };
    }
}
