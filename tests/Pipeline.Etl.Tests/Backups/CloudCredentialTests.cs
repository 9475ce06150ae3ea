using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Azure.Core;
using Azure.Core.Pipeline;
using Pipeline.AzureStorage;
using Pipeline.Backups.Destinations;
using Xunit;

namespace Pipeline.Etl.Tests.Backups;

/// <summary>Credentials that are not configured: those from the metadata service of a machine or container.</summary>
public sealed class CloudCredentialTests
{
    [Fact]
    public async Task S3_takes_the_credentials_of_the_containers_role()
    {
        using var metadata = new Service(request =>
            request.Url!.AbsolutePath == "/role"
                ? """{"AccessKeyId":"AKIDFROMROLE","SecretAccessKey":"secret","Token":"session-token","Expiration":"2099-01-01T00:00:00Z"}"""
                : ""
        );
        using var variables = new Variables(
            ("AWS_CONTAINER_CREDENTIALS_FULL_URI", metadata.Url + "role"),
            ("AWS_CONTAINER_AUTHORIZATION_TOKEN", "of the container"),
            ("AWS_EC2_METADATA_DISABLED", "true"),
            ("AWS_ACCESS_KEY_ID", null),
            ("AWS_SECRET_ACCESS_KEY", null),
            ("AWS_PROFILE", null),
            ("AWS_WEB_IDENTITY_TOKEN_FILE", null),
            ("AWS_SHARED_CREDENTIALS_FILE", Path.Combine(Path.GetTempPath(), "no-such-file")),
            ("AWS_CONFIG_FILE", Path.Combine(Path.GetTempPath(), "no-such-file"))
        );
        await using var destination = new S3Definition("bucket")
        {
            Endpoint = new Uri(metadata.Url),
            Region = "eu-central-1",
        }.Create("nightly", TimeProvider.System);
        await destination.PutAsync("chunks/a", "content"u8.ToArray(), default);
        Assert.Equal("of the container", metadata.Requests.First(r => r.Line == "GET /role").Headers["Authorization"]);
        var put = metadata.Requests.Single(r => r.Line.StartsWith("PUT", StringComparison.Ordinal));
        Assert.Equal("PUT /bucket/nightly/chunks/a", put.Line);
        Assert.Contains("Credential=AKIDFROMROLE/", put.Headers["Authorization"], StringComparison.Ordinal);
        Assert.Equal("session-token", put.Headers["X-Amz-Security-Token"]);
    }

    [Fact]
    public async Task Azure_blobs_take_a_token_of_the_managed_identity()
    {
        using var metadata = new Service(_ =>
            """{"access_token":"token-of-identity","expires_on":"4070908800","resource":"https://storage.azure.com/","token_type":"Bearer"}"""
        );
        using var variables = new Variables(
            ("IDENTITY_ENDPOINT", metadata.Url + "msi/token"),
            ("IDENTITY_HEADER", "of the host"),
            ("AZURE_TOKEN_CREDENTIALS", "ManagedIdentityCredential"),
            ("AZURE_CLIENT_ID", null),
            ("AZURE_TENANT_ID", null),
            ("AZURE_CLIENT_SECRET", null),
            ("AZURE_FEDERATED_TOKEN_FILE", null)
        );
        var blobs = new Blobs();
        await using var destination = new AzureBlobDestination(
            new AzureBlobDefinition("backups") { Endpoint = new Uri("https://shop.blob.example") },
            "nightly",
            new HttpClientTransport(new HttpClient(blobs))
        );
        await destination.PutAsync("chunks/a", "content"u8.ToArray(), default);
        var asked = metadata.Requests.First();
        Assert.Equal("GET /msi/token", asked.Line);
        Assert.Equal("of the host", asked.Headers["X-IDENTITY-HEADER"]);
        Assert.Contains(
            "PUT https://shop.blob.example/backups/nightly/chunks/a Bearer token-of-identity",
            blobs.Requests
        );
    }

    [Fact]
    public async Task A_user_assigned_identity_is_asked_for_by_its_client_id()
    {
        using var metadata = new Service(request =>
            $$"""{"access_token":"token-of-{{request.QueryString["client_id"]}}","expires_on":"4070908800","resource":"https://storage.azure.com/","token_type":"Bearer"}"""
        );
        using var variables = new Variables(
            ("IDENTITY_ENDPOINT", metadata.Url + "msi/token"),
            ("IDENTITY_HEADER", "of the host"),
            ("AZURE_TOKEN_CREDENTIALS", "ManagedIdentityCredential"),
            ("AZURE_CLIENT_ID", null),
            ("AZURE_TENANT_ID", null),
            ("AZURE_CLIENT_SECRET", null),
            ("AZURE_FEDERATED_TOKEN_FILE", null)
        );
        const string id = "11111111-2222-3333-4444-555555555555";
        var token = await AzureStorageAccess
            .Find(id)
            .GetTokenAsync(new TokenRequestContext(["https://storage.azure.com/.default"]), default);
        Assert.Equal("token-of-" + id, token.Token);
    }

    private sealed class Blobs : HttpMessageHandler
    {
        public ConcurrentQueue<string> Requests { get; } = [];

        protected override Task<HttpResponseMessage> SendAsync(
            HttpRequestMessage request,
            CancellationToken cancellationToken
        )
        {
            Requests.Enqueue($"{request.Method} {request.RequestUri} {request.Headers.Authorization}");
            var taken = new HttpResponseMessage(HttpStatusCode.Created)
            {
                Content = new ByteArrayContent([]) { Headers = { LastModified = DateTimeOffset.UnixEpoch } },
            };
            taken.Headers.ETag = new("\"1\"");
            return Task.FromResult(taken);
        }
    }

    /// <summary>Answers every request, and remembers them.</summary>
    private sealed class Service : IDisposable
    {
        private readonly HttpListener _listener = new();
        private readonly Func<HttpListenerRequest, string> _answer;

        public Service(Func<HttpListenerRequest, string> answer)
        {
            _answer = answer;
            using (var port = new TcpListener(IPAddress.Loopback, 0))
            {
                port.Start();
                Url = $"http://127.0.0.1:{((IPEndPoint)port.LocalEndpoint).Port}/";
            }
            _listener.Prefixes.Add(Url);
            _listener.Start();
            _ = RunAsync();
        }

        public string Url { get; }

        public ConcurrentQueue<(string Line, Dictionary<string, string> Headers)> Requests { get; } = [];

        public void Dispose() => _listener.Close();

        private async Task RunAsync()
        {
            try
            {
                while (true)
                {
                    var context = await _listener.GetContextAsync();
                    var headers = context.Request.Headers.AllKeys.ToDictionary(
                        k => k!,
                        k => context.Request.Headers[k]!,
                        StringComparer.OrdinalIgnoreCase
                    );
                    Requests.Enqueue(($"{context.Request.HttpMethod} {context.Request.Url!.AbsolutePath}", headers));
                    await context.Request.InputStream.CopyToAsync(Stream.Null);
                    context.Response.ContentType = "application/json";
                    context.Response.Close(Encoding.UTF8.GetBytes(_answer(context.Request)), willBlock: false);
                }
            }
            catch (Exception e) when (e is HttpListenerException or ObjectDisposedException)
            {
                // The test is over.
                _ = e;
            }
        }
    }

    /// <summary>Environment variables for the time of a test.</summary>
    private sealed class Variables : IDisposable
    {
        private readonly List<(string Name, string? Former)> _former = [];

        public Variables(params (string Name, string? Value)[] values)
        {
            foreach (var (name, value) in values)
            {
                _former.Add((name, Environment.GetEnvironmentVariable(name)));
                Environment.SetEnvironmentVariable(name, value);
            }
        }

        public void Dispose() => _former.ForEach(f => Environment.SetEnvironmentVariable(f.Name, f.Former));
    }
}
