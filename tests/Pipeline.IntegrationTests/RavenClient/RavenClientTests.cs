using System.Globalization;
using System.Security.Cryptography.X509Certificates;
using System.Text.Json;
using System.Text.RegularExpressions;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Logging;
using Pipeline.Database.Certificates;
using Pipeline.Hosting;
using Pipeline.IntegrationTests.Independent;
using Pipeline.Server;
using Pipeline.Server.Hosting;
using Pipeline.Server.Settings;
using Pipeline.TestKit.Certificates;
using Xunit;

namespace Pipeline.IntegrationTests.RavenClient;

/// <summary>
/// RavenDB's official Node.js clients, unchanged, against our server: the tests are in suite.mjs, the versions in
/// .ci/npm/package.json.
/// </summary>
public sealed partial class RavenClientTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("pipeline-server-");

    public void Dispose() => _folder.Delete(recursive: true);

    [SkippableTheory]
    [InlineData("ravendb", true)]
    [InlineData("ravendb", false)]
    [InlineData("ravendb-6", true)]
    [InlineData("ravendb-newest", true)]
    [InlineData("ravendb-newest", false)]
    public async Task The_official_clients_work_unchanged(string package, bool memory)
    {
        await using (
            var server = await PipelineServer.StartAsync(
                new ServerOptions { DataFolder = memory ? null : _folder.FullName }
            )
        )
        {
            await RunSuiteAsync(package, server.Url.GetLeftPart(UriPartial.Authority), []);
            Assert.Empty(server.DatabaseNames);
        }
        Assert.Empty(_folder.EnumerateFileSystemInfos());
    }

    [SkippableTheory]
    [InlineData("ravendb")]
    [InlineData("ravendb-6")]
    [InlineData("ravendb-newest")]
    public async Task They_work_with_a_running_worker_over_TLS_too(string package)
    {
        using var server = TestCertificate.Make("localhost");
        using var client = TestCertificate.Make("client");
        File.WriteAllBytes(At("server.pfx"), server.Export(X509ContentType.Pfx, "word"));
        File.WriteAllBytes(At("client.pfx"), client.Export(X509ContentType.Pfx, "word"));
        File.WriteAllText(At("server.pem"), server.ExportCertificatePem());
        File.WriteAllText(
            At("pipeline.yaml"),
            $$"""
            version: 1
            database: { name: shop, path: ./data }
            server:
              url: https://127.0.0.1:0
              certificate: { file: server.pfx, password: word }
              clients: [{ name: suite, thumbprint: "{{CertificateThumbprint.Of(client)}}", admin: true }]
            """
        );
        await using var worker = await PipelineWorker.OpenAsync(
            new WorkerOptions { ConfigurationFile = At("pipeline.yaml"), Listens = true }
        );
        await RunSuiteAsync(
            package,
            worker.Address!.GetLeftPart(UriPartial.Authority),
            new Dictionary<string, string>
            {
                ["PFX"] = At("client.pfx"),
                ["PASSWORD"] = "word",
                ["CA"] = At("server.pem"),
            }
        );
    }

    [SkippableTheory]
    [InlineData("ravendb")]
    [InlineData("ravendb-6")]
    [InlineData("ravendb-newest")]
    public async Task They_work_below_a_path_of_an_application_too(string package)
    {
        File.WriteAllText(
            At("pipeline.yaml"),
            """
            version: 1
            database: { name: shop, path: ./data }
            server: { url: "http://127.0.0.1:0" }
            """
        );
        var builder = WebApplication.CreateSlimBuilder(
            new WebApplicationOptions { ContentRootPath = _folder.FullName }
        );
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Logging.ClearProviders();

        // Subscriptions connect to the worker's own port.
        builder.Services.AddPipeline(configure: o => o.Listens = true);
        await using var app = builder.Build();
        app.MapPipeline("/data/pipeline");
        await app.StartAsync();
        await RunSuiteAsync(package, app.Urls.First() + "/data/pipeline", []);
    }

    private string At(string file) => Path.Combine(_folder.FullName, file);

    /// <summary>The path of a client's module.</summary>
    internal static string FindClient(string package)
    {
        var folder = NpmPackage.Find(package);
        using var description = JsonDocument.Parse(File.ReadAllText(Path.Combine(folder, "package.json")));
        return Path.GetFullPath(
            description
                .RootElement.GetProperty(description.RootElement.TryGetProperty("module", out _) ? "module" : "main")
                .GetString()!,
            folder
        );
    }

    private static async Task RunSuiteAsync(string package, string url, Dictionary<string, string> variables)
    {
        variables["SERVER"] = url;
        variables["CLIENT"] = FindClient(package);
        var output = await Tool.RunAsync(
            "node",
            ["--test", "--test-reporter=tap", Path.Combine(AppContext.BaseDirectory, "RavenClient", "suite.mjs")],
            variables
        );
        Assert.True(int.Parse(Passed().Match(output).Groups[1].Value, CultureInfo.InvariantCulture) >= 40, output);
    }

    [GeneratedRegex(@"^# pass (\d+)", RegexOptions.Multiline)]
    private static partial Regex Passed();
}
