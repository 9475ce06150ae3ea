using System.Security.Cryptography.X509Certificates;
using Microsoft.Extensions.Logging;
using Pipeline.Database.Certificates;
using Pipeline.Server;
using Pipeline.Server.Hosting;
using Pipeline.Server.Settings;
using Pipeline.TestKit.Certificates;
using Pipeline.TestKit.Logging;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Client.Tests.Server;

/// <summary>A certificate whose files change is renewed without a restart.</summary>
public sealed class CertificateRenewalTests : IDisposable
{
    private static readonly TimeSpan Later = TimeSpan.FromSeconds(5);
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("pipeline-renewal-");
    private readonly ManualTimeProvider _time = new();
    private readonly CapturedLines _log = new()
    {
        Keeps = (_, e) => e.Name?.StartsWith("Certificate", StringComparison.Ordinal) == true,
    };

    public void Dispose()
    {
        _log.Dispose();
        _folder.Delete(recursive: true);
    }

    [Fact]
    public async Task New_connections_get_a_new_certificate_and_a_broken_one_changes_nothing()
    {
        using var first = TestCertificate.Make("first");
        using var second = TestCertificate.Make("second");
        var files = new CertificateFiles(At("server.pem"), At("server.key"));
        Write(first);
        await using var server = await PipelineServer.StartAsync(
            new ServerOptions
            {
                Url = new Uri("https://127.0.0.1:0"),
                Certificate = files.Load(),
                CertificateFiles = files,
                Time = _time,
                Loggers = _log,
            }
        );
        using var open = new Connection(server.Url);
        Assert.Equal(first.Thumbprint, await open.AskAsync());
        _time.Advance(Later);
        Assert.Equal(first.Thumbprint, await AskAsync(server.Url));
        Assert.Empty(_log.Messages);

        Write(second);
        _time.Advance(Later);
        Assert.Equal(second.Thumbprint, await AskAsync(server.Url));
        Assert.Equal(first.Thumbprint, await open.AskAsync());
        Assert.Contains(
            CertificateThumbprint.Of(second).ToString(),
            Assert.Single(_log.Messages).Text,
            StringComparison.Ordinal
        );

        // The key of another certificate, as while files are being replaced: told once, whatever comes.
        File.WriteAllText(files.KeyFile!, TestCertificate.KeyToPem(first));
        for (var i = 0; i < 3; i++)
        {
            _time.Advance(Later);
            Assert.Equal(second.Thumbprint, await AskAsync(server.Url));
        }
        Assert.Equal(2, _log.Messages.Count);
        Assert.Contains(files.File, _log.Messages.Last().Text, StringComparison.Ordinal);
        Assert.Equal(LogLevel.Warning, _log.Messages.Last().Level);
        File.Delete(files.File);
        _time.Advance(Later);
        Assert.Equal(second.Thumbprint, await AskAsync(server.Url));
        Assert.Equal(3, _log.Messages.Count);

        Write(first);
        _time.Advance(Later);
        Assert.Equal(first.Thumbprint, await AskAsync(server.Url));
        Assert.Equal(4, _log.Messages.Count);
    }

    private string At(string name) => Path.Combine(_folder.FullName, name);

    private void Write(X509Certificate2 certificate)
    {
        File.WriteAllText(At("server.pem"), certificate.ExportCertificatePem());
        File.WriteAllText(At("server.key"), TestCertificate.KeyToPem(certificate));
    }

    private static async Task<string> AskAsync(Uri url)
    {
        using var connection = new Connection(url);
        return await connection.AskAsync();
    }

    /// <summary>A client that keeps its connection.</summary>
    private sealed class Connection : IDisposable
    {
        private readonly HttpClient _http;
        private string _seen = "";

        public Connection(Uri url)
        {
#pragma warning disable CA2000 // The client disposes of it.
            var handler = new SocketsHttpHandler
            {
                SslOptions =
                {
                    RemoteCertificateValidationCallback = (_, its, _, _) =>
                        (_seen = its!.GetCertHashString()).Length > 0,
                },
            };
#pragma warning restore CA2000
            _http = new HttpClient(handler) { BaseAddress = url };
        }

        /// <summary>Asks something; the thumbprint of the certificate that the connection got.</summary>
        public async Task<string> AskAsync()
        {
            using var answer = await _http.GetAsync(new Uri("/build/version", UriKind.Relative));
            answer.EnsureSuccessStatusCode();
            return _seen;
        }

        public void Dispose() => _http.Dispose();
    }
}
