using System.Globalization;
using System.Security.Cryptography.X509Certificates;
using System.Text.RegularExpressions;
using Pipeline.Database.Certificates;
using Pipeline.IntegrationTests.Independent;
using Pipeline.Server;
using Pipeline.Server.Hosting;
using Pipeline.TestKit.Certificates;
using Pipeline.TestKit.Services;
using Pipeline.Worker.Hosting;
using Xunit;

namespace Pipeline.IntegrationTests.RavenClient;

/// <summary>RavenDB's official Node.js client, unchanged, against our server: the tests are in suite.mjs.</summary>
public sealed partial class RavenClientTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("pipeline-server-");

    public void Dispose() => _folder.Delete(recursive: true);

    [SkippableTheory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task The_official_client_works_unchanged(bool memory)
    {
        await using (var server = await PipelineServer.StartAsync(new ServerOptions { DataFolder = memory ? null : _folder.FullName }))
        {
            await RunSuiteAsync(server.Url, []);
            Assert.Empty(server.DatabaseNames);
        }
        Assert.Empty(_folder.EnumerateFileSystemInfos());
    }

    [SkippableFact]
    public async Task It_works_with_a_running_worker_over_TLS_too()
    {
        using var server = TestCertificate.Make("localhost");
        using var client = TestCertificate.Make("client");
        File.WriteAllBytes(At("server.pfx"), server.Export(X509ContentType.Pfx, "word"));
        File.WriteAllBytes(At("client.pfx"), client.Export(X509ContentType.Pfx, "word"));
        File.WriteAllText(At("server.pem"), server.ExportCertificatePem());
        File.WriteAllText(At("pipeline.yaml"), $$"""
            version: 1
            database: { name: shop, path: ./data }
            server:
              url: https://127.0.0.1:0
              certificate: { file: server.pfx, password: word }
              clients: [{ name: suite, thumbprint: "{{CertificateThumbprint.Of(client)}}", admin: true }]
            """);
        await using var worker = await PipelineWorker.OpenAsync(new WorkerOptions { ConfigurationFile = At("pipeline.yaml"), Listens = true });
        await RunSuiteAsync(worker.Address!, new Dictionary<string, string> { ["PFX"] = At("client.pfx"), ["PASSWORD"] = "word", ["CA"] = At("server.pem") });
    }

    private string At(string file) => Path.Combine(_folder.FullName, file);

    private static async Task RunSuiteAsync(Uri url, Dictionary<string, string> variables)
    {
        var client = Path.Combine(LocalInstallation.Cache, "npm", "node_modules", "ravendb", "dist", "index.js");
        if (!File.Exists(client))
            throw Missing.Program("the npm package ravendb", "npm");
        variables["SERVER"] = url.GetLeftPart(UriPartial.Authority);
        variables["CLIENT"] = client;
        var output = await Tool.RunAsync("node", ["--test", "--test-reporter=tap", Path.Combine(AppContext.BaseDirectory, "RavenClient", "suite.mjs")], variables);
        Assert.True(int.Parse(Passed().Match(output).Groups[1].Value, CultureInfo.InvariantCulture) >= 32, output);
    }

    [GeneratedRegex(@"^# pass (\d+)", RegexOptions.Multiline)]
    private static partial Regex Passed();
}
