using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text.Json;
using Pipeline.Hosting;
using Pipeline.TestKit.Certificates;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary><c>GET /logs</c> and <c>GET /clients</c> of a worker.</summary>
public sealed class LogAndClientEndpointTests : IDisposable
{
    private readonly TestFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task The_log_is_read_by_number_level_and_words()
    {
        await using var worker = await OpenAsync("server: { url: http://127.0.0.1:0 }");
        using var http = new HttpClient { BaseAddress = worker.Address };
        var all = await ReadAsync(http, "/logs?most=2000");
        var lines = all.GetProperty("lines").EnumerateArray().ToList();
        Assert.NotEmpty(lines);
        var numbers = lines.Select(l => l.GetProperty("number").GetInt64()).ToList();
        Assert.Equal(numbers.Order(), numbers);
        Assert.Equal(numbers[^1], all.GetProperty("last").GetInt64());

        var opened = Assert.Single(
            lines,
            l => l.GetProperty("message").GetString()!.StartsWith("opened 'shop'", StringComparison.Ordinal)
        );
        var (number, category) = (opened.GetProperty("number").GetInt64(), opened.GetProperty("category").GetString());
        Assert.Equal(("info", "Pipeline.Worker"), (opened.GetProperty("level").GetString(), category));

        var found = Lines(await ReadAsync(http, "/logs?text=SHOP%20opened%20pipeline.worker"));
        Assert.Equal(number, Assert.Single(found).GetProperty("number").GetInt64());
        Assert.All(Lines(await ReadAsync(http, "/logs?level=warn")), l => Assert.NotEqual("info", Level(l)));
        Assert.DoesNotContain(
            Lines(await ReadAsync(http, $"/logs?after={numbers[^1]}")),
            l => Number(l) <= numbers[^1]
        );
        Assert.Single(Lines(await ReadAsync(http, "/logs?most=1")));
        Assert.Empty(Lines(await ReadAsync(http, "/logs?text=no-such-word")));
    }

    [Theory]
    [InlineData("/logs?level=loud", "level is 'loud'; it must be info, warn, error or fatal")]
    [InlineData("/logs?after=last", "after is 'last'; it must be a whole number")]
    [InlineData("/logs?most=-1", "most is '-1'; it must be a whole number")]
    public async Task A_wrong_value_is_refused_with_the_right_ones(string path, string error)
    {
        await using var worker = await OpenAsync("server: { url: http://127.0.0.1:0 }");
        using var http = new HttpClient { BaseAddress = worker.Address };
        using var answer = await http.GetAsync(path);
        Assert.Equal(HttpStatusCode.BadRequest, answer.StatusCode);
        var body = JsonDocument.Parse(await answer.Content.ReadAsStringAsync()).RootElement;
        Assert.Equal(error, body.GetProperty("error").GetString());
    }

    [Fact]
    public async Task Without_certificates_no_client_is_listed()
    {
        await using var worker = await OpenAsync("server: { url: http://127.0.0.1:0 }");
        using var http = new HttpClient { BaseAddress = worker.Address };
        var clients = await ReadAsync(http, "/clients");
        Assert.False(clients.GetProperty("authenticates").GetBoolean());
        Assert.Equal(JsonValueKind.Null, clients.GetProperty("certificate").ValueKind);
        Assert.Empty(clients.GetProperty("clients").EnumerateArray());
    }

    [Fact]
    public async Task Certificates_and_rights_are_listed_for_admins_only()
    {
        using var server = TestCertificate.Make("server");
        using var admin = TestCertificate.Make("admin");
        using var reader = TestCertificate.Make("reader");
        File.WriteAllBytes(_folder["server.pfx"], server.Export(X509ContentType.Pfx));
        await using var worker = await OpenAsync(
            $$"""
            server:
              url: https://127.0.0.1:0
              certificate: { file: server.pfx }
              clients:
                - { name: boss, thumbprint: {{Print(admin)}}, admin: true }
                - { name: reports, thumbprint: {{Print(reader)}}, databases: { shop: read }, metrics: true }
            """
        );
        using var http = Client(worker.Address!, server, admin);
        var text = await http.GetStringAsync("/clients");
        var clients = JsonDocument.Parse(text).RootElement;
        var certificate = clients.GetProperty("certificate");
        Assert.Equal("CN=server", certificate.GetProperty("subject").GetString());
        Assert.Equal(Print(server), certificate.GetProperty("thumbprint").GetString(), ignoreCase: true);
        Assert.Equal(server.NotAfter.ToUniversalTime(), certificate.GetProperty("notAfter").GetDateTime());
        Assert.True(certificate.GetProperty("isFileReadable").GetBoolean());
        var (boss, reports) = (clients.GetProperty("clients")[0], clients.GetProperty("clients")[1]);
        Assert.True(boss.GetProperty("isAdmin").GetBoolean());
        Assert.False(reports.GetProperty("isAdmin").GetBoolean());
        Assert.True(reports.GetProperty("seesMetrics").GetBoolean());
        Assert.Equal("read", reports.GetProperty("databases").GetProperty("shop").GetString());
        Assert.DoesNotContain("PRIVATE", text, StringComparison.OrdinalIgnoreCase);

        // While the file is replaced, the page shows the certificate in use.
        File.WriteAllText(_folder["server.pfx"], "half a file");
        var then = (await ReadAsync(http, "/clients")).GetProperty("certificate");
        Assert.False(then.GetProperty("isFileReadable").GetBoolean());
        Assert.Equal("CN=server", then.GetProperty("subject").GetString());

        using var other = Client(worker.Address!, server, reader);
        foreach (var path in (string[])["/clients", "/logs", "/backups/nightly/points", "/backups/nightly/preview"])
        {
            using var answer = await other.GetAsync(path);
            Assert.Equal((path, HttpStatusCode.Forbidden), (path, answer.StatusCode));
        }

        using var tried = await other.PostAsync("/subscriptions/try", new StringContent("""{"query":"from Orders"}"""));
        Assert.Equal(HttpStatusCode.Forbidden, tried.StatusCode);
    }

    private Task<PipelineWorker> OpenAsync(string server) =>
        PipelineWorker.OpenAsync(
            new WorkerOptions
            {
                ConfigurationFile = _folder.Write(
                    "pipeline.yaml",
                    $$"""
                    version: 1
                    database: { name: shop, path: ./data }
                    {{server}}
                    """
                ),
                Listens = true,
            }
        );

    private static HttpClient Client(Uri url, X509Certificate2 server, X509Certificate2 certificate) =>
        new(
            new SocketsHttpHandler
            {
                SslOptions =
                {
                    RemoteCertificateValidationCallback = (_, its, _, _) =>
                        its!.GetCertHashString() == server.GetCertHashString(),
                    ClientCertificates = [certificate],
                },
            }
        )
        {
            BaseAddress = url,
        };

    private static string Print(X509Certificate2 certificate) =>
        certificate.GetCertHashString(HashAlgorithmName.SHA256);

    private static async Task<JsonElement> ReadAsync(HttpClient http, string path) =>
        JsonDocument.Parse(await http.GetStringAsync(path)).RootElement;

    private static List<JsonElement> Lines(JsonElement answer) => [.. answer.GetProperty("lines").EnumerateArray()];

    private static string? Level(JsonElement line) => line.GetProperty("level").GetString();

    private static long Number(JsonElement line) => line.GetProperty("number").GetInt64();
}
