using System.Net;
using System.Net.WebSockets;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using Microsoft.AspNetCore.Routing;
using Pipeline.Database;
using Pipeline.Documents.Events;
using Pipeline.Hosting;
using Pipeline.Hosting.Studio;
using Pipeline.Server.Protocol;
using Pipeline.TestKit.Certificates;
using Pipeline.TestKit.Files;
using Pipeline.TestKit.Http;
using Pipeline.TestKit.Subscriptions;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.Worker.Tests.Server;

/// <summary>
/// Every route that a worker serves, asked by everybody: allowed is what <see cref="RightsTable"/> says and no more.
/// And what every answer tells browsers.
/// </summary>
public sealed class RightsMatrixTests(ITestOutputHelper output) : IDisposable
{
    private static readonly string[] Order = ["anybody", "known", "read", "readWrite", "admin", "clusterAdmin"];
    private static readonly X509Certificate2 Host = TestCertificate.Make("server");

    // What each may do with the database 'a', as a place in the order above.
    private static readonly (string Name, string Right, X509Certificate2? Certificate)[] Identities =
    [
        ("nobody", "anybody", null),
        ("stranger", "anybody", TestCertificate.Make("stranger")),
        ("readerOfB", "known", TestCertificate.Make("readerOfB")),
        ("metrics", "known", TestCertificate.Make("metrics")),
        ("reader", "read", TestCertificate.Make("reader")),
        ("writer", "readWrite", TestCertificate.Make("writer")),
        ("admin", "admin", TestCertificate.Make("admin")),
        ("clusterAdmin", "clusterAdmin", TestCertificate.Make("clusterAdmin")),
    ];

    private readonly TestFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Each_route_answers_those_whom_the_table_names(bool authenticates)
    {
        await using var worker = await OpenAsync(authenticates);
        var routes = Routes(worker);
        string[] unknown = [.. routes.Where(r => Needed(r) is null).Select(r => $"{r.Method} {r.Route}")];
        Assert.True(unknown.Length == 0, "not in RightsTable: " + string.Join("; ", unknown));
        string[] gone = [.. RightsTable.Rows.Keys.Where(k => !routes.Contains(k)).Select(k => $"{k.Method} {k.Route}")];
        Assert.True(gone.Length == 0, "in RightsTable alone: " + string.Join("; ", gone));

        var wrong = new List<string>();
        var asked = 0;
        foreach ((var name, var right, var certificate) in authenticates ? Identities : Identities[..1])
        {
            using var http = Client(worker.Address!, authenticates ? certificate : null);
            foreach (var route in routes)
            {
                using var answer = await AskAsync(http, route);
                asked++;
                var isAllowed = !authenticates || Array.IndexOf(Order, right) >= Array.IndexOf(Order, Needed(route));
                if (isAllowed != (answer.StatusCode != HttpStatusCode.Forbidden))
                {
                    wrong.Add(
                        $"{name}: {route.Method} {route.Route}: {(int)answer.StatusCode}, but it needs {Needed(route)}"
                    );
                }

                if (HeaderFault(answer, route.Route) is { } fault)
                    wrong.Add($"{name}: {route.Method} {route.Route}: {fault}");
            }
        }

        output.WriteLine($"{routes.Count} routes, {asked} requests");
        Assert.True(
            wrong.Count == 0,
            $"{wrong.Count} of {asked} answers are wrong:\n" + string.Join('\n', wrong.Take(40))
        );
    }

    [Fact]
    public async Task Changes_by_web_socket_and_subscriptions_by_tcp_are_for_those_who_may()
    {
        await using var worker = await OpenAsync(authenticates: true);
        var url = worker.Address!;
        foreach ((var name, var right, var certificate) in Identities)
        {
            using var socket = new ClientWebSocket();
            socket.Options.RemoteCertificateValidationCallback = (_, its, _, _) =>
                its!.GetCertHashString() == Host.GetCertHashString();
            if (certificate is not null)
                socket.Options.ClientCertificates.Add(certificate);
            using var soon = new CancellationTokenSource(TimeSpan.FromSeconds(30));
            WebSocketException? refusal = null;
            try
            {
                await socket.ConnectAsync(new Uri($"wss://127.0.0.1:{url.Port}/databases/a/changes"), soon.Token);
            }
            catch (WebSocketException e)
            {
                refusal = e;
            }

            Assert.True(
                (refusal is null) == (Array.IndexOf(Order, right) >= Array.IndexOf(Order, "read")),
                $"{name} /changes: {refusal?.Message ?? "connected"}"
            );

            await using var tcp = await TcpClientSide.ConnectAsync(url, Host, certificate);
            await tcp.SendAsync(
                """{"DatabaseName":"a","Operation":"Subscription","SourceNodeTag":null,"OperationVersion":53000,"AuthorizeInfo":null}"""
            );
            var status = await tcp.ReadAsync(m => m.GetProperty("Status").GetString()!);
            Assert.True(
                (status == "Ok") == (Array.IndexOf(Order, right) >= Array.IndexOf(Order, "readWrite")),
                $"{name} subscription: {status}"
            );
        }
    }

    [Fact]
    public async Task Figures_and_states_name_a_database_only_to_those_who_may_read_it()
    {
        await using var worker = await OpenAsync(authenticates: true);
        foreach ((var name, var right, var certificate) in Identities)
        {
            using var http = Client(worker.Address!, certificate);
            var seesA = name == "metrics" || Array.IndexOf(Order, right) >= Array.IndexOf(Order, "read");
            var ready = await http.GetStringAsync("/health/ready");
            Assert.Contains("\"status\": \"ready\"", ready, StringComparison.Ordinal);
            Assert.True(ready.Contains("position", StringComparison.Ordinal) == seesA, $"{name}: {ready}");
            using var metrics = await http.GetAsync("/metrics");
            var text = await metrics.Content.ReadAsStringAsync();
            if (metrics.StatusCode == HttpStatusCode.Forbidden)
                continue;
            Assert.Contains("dotnet_", text, StringComparison.Ordinal);
            Assert.True(text.Contains("pipeline_database=\"a\"", StringComparison.Ordinal) == seesA, $"{name} and a");
            Assert.True(
                text.Contains("pipeline_database=\"b\"", StringComparison.Ordinal)
                    == name is "metrics" or "clusterAdmin" or "readerOfB",
                $"{name} and b"
            );
            Assert.True(
                text.Contains("the-task", StringComparison.Ordinal) == name is "metrics" or "clusterAdmin",
                $"{name} and the task"
            );
        }
    }

    private static string? Needed((string Method, string Route) route) =>
        RightsTable.Rows.GetValueOrDefault(route)
        ?? (StudioAssets.All.Any(a => a.Path == route.Route) && route.Method is "GET" or "HEAD" ? "anybody" : null);

    private static List<(string Method, string Route)> Routes(PipelineWorker worker)
    {
        var routes = new List<(string, string)>();
        foreach (var endpoint in worker.Server!.Endpoints.OfType<RouteEndpoint>())
        {
            var route = endpoint.RoutePattern.RawText!;
            var methods = endpoint.Metadata.GetMetadata<HttpMethodMetadata>()?.HttpMethods ?? ["*"];
            routes.AddRange(methods.Select(m => (m, route)));
            if (endpoint.Metadata.GetMetadata<DatabaseRoutes>() is { } ofDatabase)
                routes.AddRange(ofDatabase.All.Select(r => (r.Method, "/databases/{database}" + r.Path)));
        }

        return [.. routes.Distinct()];
    }

    private static async Task<HttpResponseMessage> AskAsync(HttpClient http, (string Method, string Route) route)
    {
        var path = route
            .Route.Replace("{database}", "a", StringComparison.Ordinal)
            .Replace("{name}", "none", StringComparison.Ordinal)
            .Replace("{**path}", "no/such/path", StringComparison.Ordinal)
            .Replace("{*path:nonfile}", "/no/such/path", StringComparison.Ordinal);
        path += route.Route switch
        {
            "/topology" or "/admin/databases" => "?name=a",
            "/info/tcp" or "/info/remote-task/tcp" => "?database=a",
            "/databases/{database}/attachments" => "?id=docs/1&name=page.html",
            _ => "",
        };
        using var request = new HttpRequestMessage(new HttpMethod(route.Method == "*" ? "GET" : route.Method), path);
        if (request.Method.Method is not ("GET" or "HEAD"))
            request.Content = new StringContent("{}", Encoding.UTF8, "application/json");
        using var soon = new CancellationTokenSource(TimeSpan.FromSeconds(60));
        try
        {
            return await http.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, soon.Token);
        }
        catch (HttpRequestException e)
        {
            throw new HttpRequestException($"{route.Method} {route.Route} got no answer", e);
        }
    }

    /// <summary>What an answer does not tell a browser; null where all is well.</summary>
    private static string? HeaderFault(HttpResponseMessage answer, string route)
    {
        string Value(string header) =>
            answer.Headers.TryGetValues(header, out var values)
            || answer.Content.Headers.TryGetValues(header, out values)
                ? string.Join(", ", values)
                : "";
        var policy = Value("Content-Security-Policy");
        if (Value("X-Content-Type-Options") != "nosniff")
            return "no nosniff";
        if (!policy.Contains("frame-ancestors 'none'", StringComparison.Ordinal))
            return $"the policy is '{policy}'";
        var isStudio = StudioAssets.All.Any(a => a.Path == route);
        if (
            !isStudio
            && !(
                policy.Contains("default-src 'none'", StringComparison.Ordinal)
                && policy.Contains("sandbox", StringComparison.Ordinal)
            )
        )
        {
            return $"the policy is '{policy}'";
        }

        if (
            !isStudio
            && answer.Content.Headers.ContentType?.MediaType
                is not (null or "application/json" or "application/x-ndjson" or "text/plain")
            && !Value("Content-Disposition").StartsWith("attachment", StringComparison.Ordinal)
        )
        {
            return $"{answer.Content.Headers.ContentType} is no attachment";
        }

        return null;
    }

    private async Task<PipelineWorker> OpenAsync(bool authenticates)
    {
        File.WriteAllBytes(_folder["server.pfx"], Host.Export(X509ContentType.Pfx));
        string Print(string name) =>
            Identities.First(i => i.Name == name).Certificate!.GetCertHashString(HashAlgorithmName.SHA256);
        var server = !authenticates
            ? "server: { url: http://127.0.0.1:0 }"
            : $$"""
                server:
                  url: https://127.0.0.1:0
                  certificate: { file: server.pfx }
                  clients:
                    - { name: readerOfB, thumbprint: {{Print("readerOfB")}}, databases: { b: read } }
                    - { name: metrics, thumbprint: {{Print("metrics")}}, metrics: true }
                    - { name: reader, thumbprint: {{Print("reader")}}, databases: { a: read } }
                    - { name: writer, thumbprint: {{Print("writer")}}, databases: { a: readWrite } }
                    - { name: admin, thumbprint: {{Print("admin")}}, databases: { a: admin } }
                    - { name: clusterAdmin, thumbprint: {{Print("clusterAdmin")}}, admin: true }
                """;
        var file = _folder.Write(
            "pipeline.yaml",
            $$"""
            version: 1
            database: { name: a, path: ./data }
            connections:
              c: { files: { directory: ./out } }
            etl:
              - { name: the-task, from: [As], to: c, transform: 'send("x", doc);' }
            {{server}}
            """
        );
        var worker = await PipelineWorker.OpenAsync(new WorkerOptions { ConfigurationFile = file, Listens = true });
        var other = await worker.Server!.CreateDatabaseAsync("b");
        foreach (var database in (DocumentDatabase[])[worker.Database, other])
        {
            await database.PutAsync("docs/1", """{"A":1,"@metadata":{"@collection":"As"}}"""u8.ToArray());
            await database.Attachments.PutAsync(
                "docs/1",
                "page.html",
                new MemoryStream("<script>alert(1)</script>"u8.ToArray()),
                "text/html"
            );
            await database.Events.AppendAsync("stream", [new EventData { Payload = "x"u8.ToArray() }]);
        }

        return worker;
    }

    private static HttpClient Client(Uri url, X509Certificate2? certificate)
    {
        var handler = new SocketsHttpHandler
        {
            SslOptions =
            {
                RemoteCertificateValidationCallback = (_, its, _, _) =>
                    its!.GetCertHashString() == Host.GetCertHashString(),
            },
        };
        if (certificate is not null)
            handler.SslOptions.ClientCertificates = [certificate];
        return new HttpClient(handler) { BaseAddress = url, Timeout = TimeSpan.FromMinutes(2) };
    }
}
