using System.Net;
using System.Net.Http.Json;
using System.Security.Cryptography.X509Certificates;
using System.Text.Json;
using Pipeline.Database.Certificates;
using Pipeline.Hosting;
using Pipeline.TestKit.Certificates;
using Pipeline.TestKit.Files;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary>
/// The databases that <c>pipeline run</c> serves in RavenDB's client protocol, alongside the worker's own views.
/// </summary>
public sealed class ServedDatabaseTests
{
    [Fact]
    public async Task The_workers_database_is_served_and_others_are_made_beneath_its_folder()
    {
        using var folder = new TestFolder();
        var options = Options(folder, "server: { url: \"http://127.0.0.1:0\" }");
        await using (var worker = await PipelineWorker.OpenAsync(options))
        {
            using var http = new HttpClient { BaseAddress = worker.Address };
            (
                await http.PutAsync("/databases/SHOP/docs?id=users/1", JsonContent.Create(new { Name = "Ann" }))
            ).EnsureSuccessStatusCode();
            using (var snapshot = worker.Database.OpenSnapshot())
                Assert.True(snapshot.TryGet("users/1", out _));
            (
                await http.PutAsync("/admin/databases?name=more", JsonContent.Create(new { DatabaseName = "more" }))
            ).EnsureSuccessStatusCode();
            (
                await http.PutAsync("/databases/more/docs?id=a", JsonContent.Create(new { A = 1 }))
            ).EnsureSuccessStatusCode();
            Assert.Equal(HttpStatusCode.Forbidden, (await DeleteAsync(http, "shop")).StatusCode);
            Assert.Equal(
                HttpStatusCode.Conflict,
                (await http.PutAsync("/admin/databases?name=Shop", JsonContent.Create(new { }))).StatusCode
            );
        }
        await using (var worker = await PipelineWorker.OpenAsync(options))
        {
            using var http = new HttpClient { BaseAddress = worker.Address };
            Assert.Equal(HttpStatusCode.OK, (await http.GetAsync("/databases/more/docs?id=a")).StatusCode);
            (await DeleteAsync(http, "more")).EnsureSuccessStatusCode();
            Assert.False(Directory.Exists(Path.Combine(folder["data"], "databases", "more")));
        }
    }

    [Fact]
    public async Task Where_clients_may_make_none_they_are_refused()
    {
        using var folder = new TestFolder();
        await using var worker = await PipelineWorker.OpenAsync(
            Options(folder, "server: { url: \"http://127.0.0.1:0\", createsDatabases: false }")
        );
        using var http = new HttpClient { BaseAddress = worker.Address };
        var answer = await http.PutAsync(
            "/admin/databases?name=more",
            JsonContent.Create(new { DatabaseName = "more" })
        );
        Assert.Equal(HttpStatusCode.Forbidden, answer.StatusCode);
        Assert.Contains("server.createsDatabases", await answer.Content.ReadAsStringAsync(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task TLS_and_clients_are_read_from_the_configuration()
    {
        using var folder = new TestFolder();
        using var server = TestCertificate.Make("server");
        using var reader = TestCertificate.Make("reader");
        File.WriteAllBytes(folder["server.pfx"], server.Export(X509ContentType.Pfx, "word"));
        var options = Options(
            folder,
            $$"""
            server:
              url: https://127.0.0.1:0
              certificate: { file: server.pfx, password: word }
              clients: [{ name: reader, thumbprint: "{{CertificateThumbprint.Of(reader)}}", databases: { shop: read } }]
            """
        );
        await using var worker = await PipelineWorker.OpenAsync(options);
        using var known = Client(worker.Address!, server, reader);
        using var nobody = Client(worker.Address!, server, null);
        Assert.Equal(HttpStatusCode.NotFound, (await known.GetAsync("/databases/shop/docs?id=a")).StatusCode);
        Assert.Equal(
            HttpStatusCode.Forbidden,
            (await known.PutAsync("/databases/shop/docs?id=a", JsonContent.Create(new { }))).StatusCode
        );
        foreach (
            var (path, ofKnown, ofNobody) in ((string, HttpStatusCode, HttpStatusCode)[])
                [
                    ("/health/ready", HttpStatusCode.OK, HttpStatusCode.OK),
                    ("/health/live", HttpStatusCode.OK, HttpStatusCode.OK),
                    ("/metrics", HttpStatusCode.OK, HttpStatusCode.Forbidden),
                    ("/stats", HttpStatusCode.Forbidden, HttpStatusCode.Forbidden),
                    ("/storage", HttpStatusCode.Forbidden, HttpStatusCode.Forbidden),
                    ("/indexes", HttpStatusCode.Forbidden, HttpStatusCode.Forbidden),
                    ("/subscriptions", HttpStatusCode.Forbidden, HttpStatusCode.Forbidden),
                    ("/revisions?id=a", HttpStatusCode.Forbidden, HttpStatusCode.Forbidden),
                ]
        )
        {
            Assert.Equal((path, ofKnown), (path, (await known.GetAsync(path)).StatusCode));
            Assert.Equal((path, ofNobody), (path, (await nobody.GetAsync(path)).StatusCode));
        }
        Assert.Equal(HttpStatusCode.Forbidden, (await known.PostAsync(StorageEndpoint.CompactPath, null)).StatusCode);
    }

    [Fact]
    public async Task Commands_reach_a_worker_over_TLS()
    {
        using var folder = new TestFolder();
        using var server = TestCertificate.Make("server");
        using var admin = TestCertificate.Make("admin");
        File.WriteAllText(folder["server.pem"], TestCertificate.ToPem(server));
        File.WriteAllText(folder["admin.pem"], TestCertificate.ToPem(admin));
        await using var worker = await PipelineWorker.OpenAsync(
            Options(
                folder,
                $$"""
                server:
                  url: https://127.0.0.1:0
                  certificate: { file: server.pem }
                  clients: [{ name: admin, thumbprint: "{{CertificateThumbprint.Of(admin)}}", admin: true }]
                """
            )
        );
        var url = worker.Address!.ToString();
        try
        {
            Assert.Contains(
                "certificate",
                (await WorkerRun.InvokeAsync("stats", "--url", url)).Error,
                StringComparison.OrdinalIgnoreCase
            );
            Environment.SetEnvironmentVariable(
                "PIPELINE_SERVER_THUMBPRINT",
                CertificateThumbprint.Of(server).ToString()
            );
            Assert.Equal(ExitCodes.Success, (await WorkerRun.InvokeAsync("health", "--url", url)).ExitCode);
            Assert.Contains(
                "is for the server's admins",
                (await WorkerRun.InvokeAsync("stats", "--url", url)).Error,
                StringComparison.Ordinal
            );
            Environment.SetEnvironmentVariable("PIPELINE_CLIENT_CERTIFICATE", folder["admin.pem"]);
            var run = await WorkerRun.InvokeAsync("stats", "--url", url);
            Assert.Equal(("", ExitCodes.Success), (run.Error, run.ExitCode));
            Assert.Equal(
                ExitCodes.Success,
                (await WorkerRun.InvokeAsync("query", "from Users", "--url", url)).ExitCode
            );
        }
        finally
        {
            Environment.SetEnvironmentVariable("PIPELINE_SERVER_THUMBPRINT", null);
            Environment.SetEnvironmentVariable("PIPELINE_CLIENT_CERTIFICATE", null);
        }
    }

    [Fact]
    public async Task A_certificate_that_cannot_be_read_is_named()
    {
        using var folder = new TestFolder();
        var error = await Assert.ThrowsAsync<WorkerException>(() =>
            PipelineWorker.OpenAsync(
                Options(folder, "server: { url: \"https://127.0.0.1:0\", certificate: { file: nowhere.pfx } }")
            )
        );
        Assert.Contains(
            "nowhere.pfx cannot be used: there is no such file (server.certificate)",
            error.Message,
            StringComparison.Ordinal
        );
        Assert.Equal(ExitCodes.Usage, error.ExitCode);
    }

    private static WorkerOptions Options(TestFolder folder, string server) =>
        new()
        {
            ConfigurationFile = folder.Write(
                "pipeline.yaml",
                $"version: 1\ndatabase: {{ name: shop, path: ./data }}\n{server}\n"
            ),
            Listens = true,
        };

    private static Task<HttpResponseMessage> DeleteAsync(HttpClient http, string name) =>
        http.SendAsync(
            new HttpRequestMessage(HttpMethod.Delete, "/admin/databases")
            {
                Content = JsonContent.Create(
                    new { HardDelete = true, DatabaseNames = new[] { name } },
                    options: new JsonSerializerOptions()
                ),
            }
        );

    private static HttpClient Client(Uri address, X509Certificate2 trusted, X509Certificate2? certificate)
    {
        var handler = new SocketsHttpHandler
        {
            SslOptions =
            {
                RemoteCertificateValidationCallback = (_, its, _, _) =>
                    its!.GetCertHashString() == trusted.GetCertHashString(),
            },
        };
        if (certificate is not null)
            handler.SslOptions.ClientCertificates = [certificate];
        return new HttpClient(handler) { BaseAddress = address };
    }
}
