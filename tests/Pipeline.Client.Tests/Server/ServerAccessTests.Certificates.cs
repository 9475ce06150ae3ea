using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using Pipeline.Database.Certificates;
using Pipeline.Server;
using Pipeline.Server.Hosting;
using Pipeline.Server.Settings;
using Pipeline.TestKit.Certificates;
using Xunit;

namespace Pipeline.Client.Tests.Server;

/// <content>Certificates and TLS.</content>
public sealed partial class ServerAccessTests
{
    [Fact]
    public async Task Old_versions_of_TLS_and_plain_text_are_refused()
    {
        using var plain = new HttpClient { BaseAddress = new UriBuilder(_server.Url) { Scheme = "http" }.Uri };
        await Assert.ThrowsAnyAsync<HttpRequestException>(() => plain.GetAsync("/databases"));
#pragma warning disable CA5397, SYSLIB0039 // The test is that it is refused.
        using var handler = new SocketsHttpHandler
        {
            SslOptions =
            {
                RemoteCertificateValidationCallback = (_, its, _, _) => its is not null,
                EnabledSslProtocols = SslProtocols.Tls11,
            },
        };
#pragma warning restore CA5397, SYSLIB0039
        using var old = new HttpClient(handler) { BaseAddress = _server.Url };
        await Assert.ThrowsAnyAsync<HttpRequestException>(() => old.GetAsync("/databases"));
    }

    [Theory]
    [InlineData("https://127.0.0.1:0", "needs a certificate")]
    [InlineData("http://shop.example:80", "must be an IP address or localhost")]
    [InlineData("ftp://127.0.0.1:0", "must begin with http")]
    public async Task What_cannot_be_served_safely_is_refused_at_the_start(string url, string reason)
    {
        var error = await Assert.ThrowsAsync<ServerAddressException>(() =>
            PipelineServer.StartAsync(new ServerOptions { Url = new Uri(url) })
        );
        Assert.Contains(reason, error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_thumbprint_is_the_one_that_openssl_prints()
    {
        var text = Convert.ToHexString(System.Security.Cryptography.SHA256.HashData(ReaderCertificate.RawData));
        Assert.True(
            CertificateThumbprint.TryParse(string.Join(':', text.Chunk(2).Select(c => new string(c))), out var parsed)
        );
        Assert.Equal(CertificateThumbprint.Of(ReaderCertificate), parsed);
        Assert.NotEqual(CertificateThumbprint.Of(WriterCertificate), parsed);
        Assert.False(CertificateThumbprint.TryParse(ReaderCertificate.Thumbprint, out _));
        Assert.False(CertificateThumbprint.TryParse(new string('g', 64), out _));
    }

    [Fact]
    public void Certificates_are_read_in_their_usual_forms()
    {
        var folder = Directory.CreateTempSubdirectory("pipeline-certificates-");
        try
        {
            string At(string name) => Path.Combine(folder.FullName, name);
            File.WriteAllBytes(At("a.pfx"), ReaderCertificate.Export(X509ContentType.Pfx, "word"));
            File.WriteAllText(At("both.pem"), TestCertificate.ToPem(ReaderCertificate));
            File.WriteAllText(At("alone.pem"), ReaderCertificate.ExportCertificatePem());
            File.WriteAllText(At("key.pem"), TestCertificate.KeyToPem(ReaderCertificate));
            foreach (
                var read in (X509Certificate2[])
                    [
                        CertificateFile.Load(At("a.pfx"), null, "word"),
                        CertificateFile.Load(At("both.pem")),
                        CertificateFile.Load(At("alone.pem"), At("key.pem")),
                    ]
            )
            {
                Assert.Equal(ReaderCertificate.Thumbprint, read.Thumbprint);
                Assert.True(read.HasPrivateKey);
                read.Dispose();
            }
            foreach (
                var (file, key, password) in ((string, string?, string?)[])
                    [
                        ("a.pfx", null, "wrong"),
                        ("alone.pem", null, null),
                        ("none.pem", null, null),
                        ("both.pem", "none.pem", null),
                    ]
            )
            {
                Assert.Throws<CertificateFileException>(() =>
                    CertificateFile.Load(At(file), key is null ? null : At(key), password)
                );
            }
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }
}
