using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Pipeline.Database.Certificates;
using Pipeline.Server;
using Pipeline.Server.Hosting;
using Pipeline.Server.Security;
using Pipeline.Server.Settings;
using Pipeline.TestKit.Certificates;
using Xunit;

namespace Pipeline.Client.Tests.Server;

/// <summary>
/// Connections whose client is not known yet: a TLS handshake, or a first request, that comes slowly or never ends.
/// </summary>
public sealed class HandshakeTests
{
    private const int Most = 16;
    private static readonly X509Certificate2 HostCertificate = TestCertificate.Make("server");
    private static readonly X509Certificate2 KnownCertificate = TestCertificate.Make("known");

    // A record of a ClientHello: the header says 512 bytes, and none follow.
    private static readonly byte[] HalfHello = [22, 3, 1, 2, 0];

    /// <summary>What strangers send before they fall silent.</summary>
    public static TheoryData<string> Beginnings =>
        [
            "nothing",
            "half a hello",
            "TLS without a certificate, then nothing",
            "TLS without a certificate, then half a head",
        ];

    [Theory]
    [MemberData(nameof(Beginnings))]
    public async Task Strangers_who_fall_silent_keep_no_known_client_out(string beginning)
    {
        await using var server = await StartAsync(new ServerLimits { MaxConnections = Most });
        var strangers = new List<Stream>();
        try
        {
            for (var i = 0; i < 3 * Most; i++)
                strangers.Add(await BeginAsync(server.Url, beginning));
            using var known = Client(server.Url, KnownCertificate);
            Assert.Equal(HttpStatusCode.OK, (await known.GetAsync("/cluster/node-info")).StatusCode);
        }
        finally
        {
            foreach (var stranger in strangers)
                await stranger.DisposeAsync();
        }
    }

    [Fact]
    public async Task Connections_with_requests_do_not_give_way()
    {
        await using var server = await StartAsync(new ServerLimits { MaxConnections = Most });
        var open = new List<HttpClient>();
        try
        {
            for (var i = 0; i < Most / 2; i++)
            {
                open.Add(Client(server.Url, KnownCertificate));
                Assert.Equal(HttpStatusCode.OK, (await open[^1].GetAsync("/cluster/node-info")).StatusCode);
            }
            for (var i = 0; i < 3 * Most; i++)
                open.Add(new HttpClient(new Held(await BeginAsync(server.Url, "half a hello"))));
            foreach (var client in open.Take(Most / 2))
            {
                Assert.Equal(
                    HttpStatusCode.OK,
                    (await client.GetAsync("/cluster/node-info", HttpCompletionOption.ResponseContentRead)).StatusCode
                );
            }
        }
        finally
        {
            open.ForEach(o => o.Dispose());
        }
    }

    [Theory]
    [InlineData("nothing")]
    [InlineData("half a hello")]
    [InlineData("a trickle")]
    public async Task A_handshake_that_never_ends_is_cut_off(string beginning)
    {
        await using var server = await StartAsync(new ServerLimits { MaxHeadTime = TimeSpan.FromSeconds(1) });
        await using var stream = await BeginAsync(server.Url, beginning == "a trickle" ? "half a hello" : beginning);
        var end = EndAsync(stream);
        while (!end.IsCompleted)
        {
            await Task.WhenAny(end, Task.Delay(50));
            if (beginning == "a trickle" && !end.IsCompleted)
                await TrySendAsync(stream);
        }
        Assert.True(await end);
    }

    [Fact]
    public async Task The_server_opens_no_address_that_a_strangers_certificate_names()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        using var stranger = WithIssuerAt($"http://127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port}/ca.crt");
        await using var server = await StartAsync(new ServerLimits());
        using var http = Client(server.Url, stranger);
        Assert.Equal(HttpStatusCode.Forbidden, (await http.GetAsync("/cluster/node-info")).StatusCode);
        Assert.False(listener.Pending());
    }

    private static Task<PipelineServer> StartAsync(ServerLimits limits) =>
        PipelineServer.StartAsync(
            new ServerOptions
            {
                Url = new Uri("https://127.0.0.1:0"),
                Certificate = HostCertificate,
                Limits = limits,
                Clients =
                [
                    new ClientPermission
                    {
                        Name = "known",
                        Thumbprint = CertificateThumbprint.Of(KnownCertificate),
                        IsAdmin = true,
                    },
                ],
            }
        );

    private static async Task<Stream> BeginAsync(Uri url, string beginning)
    {
        var tcp = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        await tcp.ConnectAsync(url.Host, url.Port);
        var plain = new NetworkStream(tcp, ownsSocket: true);
        if (beginning == "half a hello")
            await plain.WriteAsync(HalfHello);
        if (!beginning.StartsWith("TLS", StringComparison.Ordinal))
            return plain;
        var tls = new SslStream(plain);
        try
        {
            await tls.AuthenticateAsClientAsync(
                new SslClientAuthenticationOptions
                {
                    TargetHost = "localhost",
                    RemoteCertificateValidationCallback = (_, its, _, _) => its is not null,
                }
            );
            if (beginning.EndsWith("half a head", StringComparison.Ordinal))
                await tls.WriteAsync("GET / HTTP/1.1\r\nHost:"u8.ToArray());
        }
        catch (IOException)
        {
            // The server may refuse a stranger at any byte.
            Assert.False(tls.IsServer);
        }
        return tls;
    }

    private static async Task<bool> EndAsync(Stream stream)
    {
        try
        {
            return await stream.ReadAsync(new byte[1]) == 0;
        }
        catch (IOException)
        {
            return true;
        }
    }

    private static async Task TrySendAsync(Stream stream)
    {
        try
        {
            await stream.WriteAsync(new byte[] { 0 });
        }
        catch (IOException)
        {
            // The reader sees the end, too.
            Assert.True(stream.CanRead);
        }
    }

    private static HttpClient Client(Uri url, X509Certificate2 certificate) =>
        new(
            new SocketsHttpHandler
            {
                // The client builds no chain, so it does not open the address either.
                SslOptions =
                {
                    ClientCertificateContext = SslStreamCertificateContext.Create(certificate, null, offline: true),
                    RemoteCertificateValidationCallback = (_, its, _, _) =>
                        its!.GetCertHashString() == HostCertificate.GetCertHashString(),
                },
            }
        )
        {
            BaseAddress = url,
        };

    /// <summary>A certificate whose issuer is to be fetched from an address.</summary>
    private static X509Certificate2 WithIssuerAt(string address)
    {
        using var issuerKey = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var (from, until) = (DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(1));
        var authority = new CertificateRequest("CN=unknown authority", issuerKey, HashAlgorithmName.SHA256);
        authority.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, true));
        using var issuer = authority.CreateSelfSigned(from, until);
        var request = new CertificateRequest("CN=stranger", key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509AuthorityInformationAccessExtension(null, [address]));
        using var signed = request.Create(issuer, from, until, [1, 2, 3, 4, 5, 6, 7, 8]);
        using var made = signed.CopyWithPrivateKey(key);
        return X509CertificateLoader.LoadPkcs12(made.Export(X509ContentType.Pfx), null, X509KeyStorageFlags.Exportable);
    }

    /// <summary>Holds a connection for as long as its client is there.</summary>
    private sealed class Held(Stream stream) : HttpMessageHandler
    {
        protected override Task<HttpResponseMessage> SendAsync(
            HttpRequestMessage request,
            CancellationToken cancellationToken
        ) => throw new NotSupportedException();

        protected override void Dispose(bool disposing)
        {
            stream.Dispose();
            base.Dispose(disposing);
        }
    }
}
