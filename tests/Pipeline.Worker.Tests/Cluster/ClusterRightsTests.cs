using System.Net;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using Pipeline.Hosting;
using Pipeline.TestKit.Certificates;
using Pipeline.WorkerKit.Cluster;
using Xunit;

namespace Pipeline.Worker.Tests.Cluster;

/// <summary>With TLS a client has the same rights at every node, and cannot take those of another.</summary>
public sealed class ClusterRightsTests
{
    private static readonly X509Certificate2 Writer = TestCertificate.Make("writer");
    private static readonly X509Certificate2 Reader = TestCertificate.Make("reader");
    private static readonly X509Certificate2 Admin = TestCertificate.Make("admin");
    private static readonly X509Certificate2 Stranger = TestCertificate.Make("stranger");

    [Fact]
    public async Task A_request_that_is_passed_on_keeps_the_rights_of_its_client()
    {
        var keys = Directory.CreateTempSubdirectory("pipeline-keys-");
        try
        {
            var pem = Path.Combine(keys.FullName, "node.pem");
            await File.WriteAllTextAsync(pem, TestCertificate.ToPem(TestCertificate.Make("node")));
            await using var cluster = await WorkerCluster.StartAsync(
                2,
                server: $", certificate: {{ file: \"{pem}\" }}, clients: [{{ name: w, thumbprint: {Print(Writer)}, databases: {{ shop: readWrite }} }}, {{ name: r, thumbprint: {Print(Reader)}, databases: {{ shop: read }} }}, {{ name: a, thumbprint: {Print(Admin)}, admin: true }}]",
                scheme: "https"
            );
            await cluster.LeaderAsync();
            foreach (var name in cluster.Names)
            {
                var node = cluster[name];
                Assert.Equal(HttpStatusCode.Created, await PutAsync(node, Writer));
                Assert.Equal(HttpStatusCode.Forbidden, await PutAsync(node, Reader));
                Assert.Equal(HttpStatusCode.Forbidden, await PutAsync(node, Stranger));
                Assert.Equal(HttpStatusCode.Forbidden, await PutAsync(node, null));
                // A client that says for whom it asks is not believed.
                Assert.Equal(HttpStatusCode.Forbidden, await PutAsync(node, Reader, Print(Writer)));
                Assert.Equal(
                    HttpStatusCode.OK,
                    await SendAsync(node, HttpMethod.Get, "/databases/shop/docs?id=a", Reader)
                );
                Assert.Equal(
                    HttpStatusCode.Forbidden,
                    await SendAsync(node, HttpMethod.Post, "/cluster/handover?to=n1", Writer)
                );
                Assert.Equal(
                    HttpStatusCode.Forbidden,
                    await SendAsync(node, HttpMethod.Post, "/cluster/nodes?name=x&url=http://x", Writer)
                );
                // A copy has all that is in the stores, and is for nodes only.
                foreach (var path in (string[])["/cluster/copy?node=n9", "/cluster/page?page=2&transaction=1"])
                {
                    foreach (var client in (X509Certificate2?[])[Admin, Writer, Stranger, null])
                        Assert.Equal(HttpStatusCode.Forbidden, await SendAsync(node, HttpMethod.Get, path, client));
                }
                foreach (var client in (X509Certificate2?[])[Admin, Writer, Stranger, null])
                {
                    const string Order = "/cluster/backup?node=n2&leader=n1&name=nightly&after=1";
                    Assert.Equal(HttpStatusCode.Forbidden, await SendAsync(node, HttpMethod.Post, Order, client));
                }
                Assert.Equal(
                    HttpStatusCode.Forbidden,
                    await SendAsync(node, HttpMethod.Post, "/cluster/holds?name=x&place=0", Writer)
                );
                Assert.Equal(
                    HttpStatusCode.Forbidden,
                    await SendAsync(node, HttpMethod.Post, "/cluster/refill", Writer)
                );
            }
        }
        finally
        {
            keys.Delete(recursive: true);
        }
    }

    private static string Print(X509Certificate2 certificate) =>
        certificate.GetCertHashString(System.Security.Cryptography.HashAlgorithmName.SHA256);

    private static Task<HttpStatusCode> PutAsync(
        PipelineWorker node,
        X509Certificate2? client,
        string? pretended = null
    ) => SendAsync(node, HttpMethod.Put, "/databases/shop/docs?id=a", client, pretended);

    private static async Task<HttpStatusCode> SendAsync(
        PipelineWorker node,
        HttpMethod method,
        string path,
        X509Certificate2? client,
        string? pretended = null
    )
    {
        using var handler = new HttpClientHandler
        {
#pragma warning disable CA5399 // The server's certificate is the test's own.
            ServerCertificateCustomValidationCallback = static (_, _, _, _) => true,
#pragma warning restore CA5399
        };
        if (client is not null)
            handler.ClientCertificates.Add(client);
        using var http = new HttpClient(handler);
        using var request = new HttpRequestMessage(method, WorkerCluster.Url(node, path));
        if (method == HttpMethod.Put)
            request.Content = new StringContent("""{"Name":"a"}""", Encoding.UTF8, "application/json");
        if (pretended is not null)
        {
            request.Headers.Add("Pipeline-Forwarded-For", pretended);
            request.Headers.Add("Pipeline-Forwarded-By", "n1");
        }
        using var answer = await http.SendAsync(request);
        return answer.StatusCode;
    }
}
