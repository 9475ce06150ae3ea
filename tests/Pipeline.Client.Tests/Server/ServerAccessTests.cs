using System.Net;
using System.Net.Http.Json;
using System.Security.Cryptography.X509Certificates;
using System.Text.Json;
using Pipeline.Database.Certificates;
using Pipeline.Server;
using Pipeline.Server.Security;
using Pipeline.Server.Settings;
using Pipeline.TestKit.Certificates;
using Xunit;

namespace Pipeline.Client.Tests.Server;

/// <summary>Who may do what: clients are known by their certificates.</summary>
public sealed partial class ServerAccessTests : IAsyncLifetime
{
    private static readonly X509Certificate2 HostCertificate = TestCertificate.Make("server");
    private static readonly X509Certificate2 ReaderCertificate = TestCertificate.Make("reader");
    private static readonly X509Certificate2 WriterCertificate = TestCertificate.Make("writer");
    private static readonly X509Certificate2 OwnerCertificate = TestCertificate.Make("owner");
    private static readonly X509Certificate2 RootCertificate = TestCertificate.Make("root");
    private static readonly X509Certificate2 LateCertificate = TestCertificate.Make("late", validDays: 0);
    private static readonly JsonSerializerOptions Plain = new();
    private PipelineServer _server = null!;

    public async Task InitializeAsync()
    {
        _server = await PipelineServer.StartAsync(
            new ServerOptions
            {
                Url = new Uri("https://127.0.0.1:0"),
                Certificate = HostCertificate,
                Clients =
                [
                    Permission("reader", ReaderCertificate, DatabaseAccess.Read),
                    Permission("writer", WriterCertificate, DatabaseAccess.ReadWrite),
                    Permission("owner", OwnerCertificate, DatabaseAccess.Admin),
                    Permission("root", RootCertificate, DatabaseAccess.None) with
                    {
                        IsAdmin = true,
                    },
                    Permission("late", LateCertificate, DatabaseAccess.Admin) with
                    {
                        IsAdmin = true,
                    },
                ],
            }
        );
        await _server.CreateDatabaseAsync("db");
        await _server.CreateDatabaseAsync("secret");
    }

    public async Task DisposeAsync() => await _server.DisposeAsync();

    [Fact]
    public async Task A_client_leaves_connections_for_others_and_strangers_leave_most()
    {
        await using var server = await PipelineServer.StartAsync(
            new ServerOptions
            {
                Url = new Uri("https://127.0.0.1:0"),
                Certificate = HostCertificate,
                Limits = new ServerLimits { MaxConnections = 16 },
                Clients =
                [
                    Permission("reader", ReaderCertificate, DatabaseAccess.Read),
                    Permission("root", RootCertificate, DatabaseAccess.None) with
                    {
                        IsAdmin = true,
                    },
                ],
            }
        );
        var open = new List<HttpClient>();
        foreach (
            var certificate in Enumerable.Repeat(ReaderCertificate, 8).Concat([WriterCertificate, OwnerCertificate])
        )
        {
            open.Add(Client(certificate, server.Url));
            Assert.NotNull(await open[^1].GetAsync("/cluster/node-info"));
        }
        using var more = Client(ReaderCertificate, server.Url);
        using var stranger = Client(null, server.Url);
        using var root = Client(RootCertificate, server.Url);
        await Assert.ThrowsAsync<HttpRequestException>(() => more.GetAsync("/cluster/node-info"));
        await Assert.ThrowsAsync<HttpRequestException>(() => stranger.GetAsync("/cluster/node-info"));
        Assert.Equal(HttpStatusCode.OK, (await root.GetAsync("/cluster/node-info")).StatusCode);
        open.ForEach(o => o.Dispose());
    }

    [Theory]
    [InlineData("GET", "/databases/db/docs?id=a", "nobody- stranger- late- reader+ writer+ owner+ root+")]
    [InlineData("PUT", "/databases/db/docs?id=b", "nobody- stranger- late- reader- writer+ owner+ root+")]
    [InlineData("POST", "/databases/db/bulk_docs", "nobody- reader- writer+ owner+ root+")]
    [InlineData("POST", "/databases/db/bulk_insert?id=7", "nobody- reader- writer+")]
    [InlineData("DELETE", "/databases/db/queries", "reader- writer+")]
    [InlineData("GET", "/databases/db/hilo/next?tag=users", "reader- writer+")]
    [InlineData("PUT", "/databases/db/admin/indexes", "reader- writer- owner+ root+")]
    [InlineData("POST", "/databases/db/admin/indexes/stop", "reader- writer- owner+")]
    [InlineData("GET", "/databases/secret/docs?id=a", "nobody- reader- writer- owner- root+")]
    [InlineData("GET", "/databases/missing/docs?id=a", "reader- owner- root+")]
    [InlineData("GET", "/DATABASES/%73ecret/docs?id=a", "reader- owner- root+")]
    [InlineData("GET", "/topology?name=secret", "nobody- reader- root+")]
    [InlineData("GET", "/topology?name=DB", "nobody- reader+ root+")]
    [InlineData("GET", "/cluster/node-info", "nobody- stranger- late- reader+")]
    [InlineData("PUT", "/admin/databases?name=new", "nobody- reader- owner- root+")]
    [InlineData("DELETE", "/admin/databases", "nobody- reader- owner- root+")]
    [InlineData("GET", "/admin/databases?name=secret", "nobody- reader- owner- root+")]
    [InlineData("POST", "/admin/databases/disable", "nobody- reader- owner- root+")]
    [InlineData("POST", "/admin/databases/set-lock", "nobody- reader- owner- root+")]
    [InlineData("GET", "/databases/db/admin/record", "reader- writer- owner+ root+")]
    [InlineData("PUT", "/databases/db/admin/configuration/client", "reader- writer- owner+")]
    [InlineData("DELETE", "/databases/db/indexes/errors", "reader- writer+")]
    public async Task Each_may_do_what_it_is_allowed_and_no_more(string method, string path, string expected)
    {
        foreach (var one in expected.Split(' '))
        {
            using var http = Client(CertificateOf(one[..^1]));
            using var request = new HttpRequestMessage(new HttpMethod(method), path);
            if (method is "PUT" or "POST" or "DELETE")
            {
                request.Content = JsonContent.Create(
                    new
                    {
                        Query = "from Users",
                        Commands = Array.Empty<object>(),
                        Indexes = Array.Empty<object>(),
                        DatabaseNames = Array.Empty<string>(),
                    },
                    options: Plain
                );
            }

            using var answer = await http.SendAsync(request);
            var error = await answer.Content.ReadAsStringAsync();
            Assert.True(
                (answer.StatusCode != HttpStatusCode.Forbidden) == one.EndsWith('+'),
                $"{one} {method} {path}: {answer.StatusCode} {error}"
            );
            if (one.EndsWith('-'))
            {
                Assert.Equal(
                    "Raven.Client.Exceptions.Security.AuthorizationException",
                    JsonDocument.Parse(error).RootElement.GetProperty("Type").GetString()
                );
            }
        }
    }

    [Theory]
    [InlineData("from u in docs.Users select new { u.A }", "owner- root+")]
    [InlineData("map('Users', u => ({ A: u.A }))", "writer- owner+ root+")]
    public async Task Indexes_in_csharp_are_for_the_servers_admins(string map, string expected)
    {
        foreach (var one in expected.Split(' '))
        {
            using var http = Client(CertificateOf(one[..^1]));
            using var answer = await http.PutAsync(
                "/databases/db/admin/indexes",
                JsonContent.Create(new { Indexes = new[] { new { Name = "I", Maps = new[] { map } } } }, options: Plain)
            );
            Assert.Equal(one.EndsWith('+') ? HttpStatusCode.Created : HttpStatusCode.Forbidden, answer.StatusCode);
        }
    }

    [Fact]
    public async Task Indexes_in_csharp_are_for_a_databases_admins_where_that_is_said()
    {
        await using var server = await PipelineServer.StartAsync(
            new ServerOptions
            {
                Url = new Uri("https://127.0.0.1:0"),
                Certificate = HostCertificate,
                Clients =
                [
                    Permission("writer", WriterCertificate, DatabaseAccess.ReadWrite),
                    Permission("owner", OwnerCertificate, DatabaseAccess.Admin),
                ],
                DatabaseAdminsSendCSharp = true,
            }
        );
        await server.CreateDatabaseAsync("db");
        foreach (
            var (certificate, expected) in new[]
            {
                (WriterCertificate, HttpStatusCode.Forbidden),
                (OwnerCertificate, HttpStatusCode.Created),
            }
        )
        {
            using var http = Client(certificate, server.Url);
            using var answer = await http.PutAsync(
                "/databases/db/admin/indexes",
                JsonContent.Create(
                    new
                    {
                        Indexes = new[]
                        {
                            new { Name = "I", Maps = new[] { "from u in docs.Users select new { u.A }" } },
                        },
                    },
                    options: Plain
                )
            );
            Assert.Equal(expected, answer.StatusCode);
        }
    }

    [Fact]
    public async Task Requests_within_a_request_are_allowed_one_by_one()
    {
        using var http = Client(ReaderCertificate);
        var answer = await http.PostAsJsonAsync(
            "/databases/db/multi_get",
            new
            {
                Requests = new object[]
                {
                    new
                    {
                        Url = "/databases/db/docs",
                        Query = "?id=a",
                        Method = "GET",
                    },
                    new
                    {
                        Url = "/databases/db/docs",
                        Query = "?id=b",
                        Method = "PUT",
                        Content = new { },
                    },
                    new
                    {
                        Url = "/databases/db/admin/indexes",
                        Query = "",
                        Method = "PUT",
                        Content = new { Indexes = Array.Empty<object>() },
                    },
                },
            },
            Plain
        );
        var statuses = JsonDocument
            .Parse(await answer.Content.ReadAsStringAsync())
            .RootElement.GetProperty("Results")
            .EnumerateArray()
            .Select(r => r.GetProperty("StatusCode").GetInt32());
        Assert.Equal([404, 403, 403], statuses);
    }

    [Fact]
    public async Task Only_what_one_may_see_is_listed()
    {
        using var reader = Client(ReaderCertificate);
        using var root = Client(RootCertificate);
        Assert.Equal("db", await NamesAsync(reader));
        Assert.Equal("db,secret", await NamesAsync(root));

        static async Task<string> NamesAsync(HttpClient http) =>
            string.Join(
                ',',
                (await http.GetFromJsonAsync<JsonElement>("/databases?namesOnly=true"))
                    .GetProperty("Databases")
                    .EnumerateArray()
                    .Select(n => n.GetString())
            );
    }

    [Fact]
    public async Task An_endpoint_of_others_that_does_not_say_whom_it_is_for_is_for_admins()
    {
        await using var server = await PipelineServer.StartAsync(
            new ServerOptions
            {
                Url = new Uri("https://127.0.0.1:0"),
                Certificate = HostCertificate,
                Clients =
                [
                    Permission("reader", ReaderCertificate, DatabaseAccess.Read),
                    Permission("root", RootCertificate, DatabaseAccess.None) with
                    {
                        IsAdmin = true,
                    },
                ],
                MapEndpoints = routes =>
                {
                    Microsoft.AspNetCore.Builder.EndpointRouteBuilderExtensions.MapGet(
                        routes,
                        "/figures",
                        _ => Task.CompletedTask
                    );
                    Microsoft
                        .AspNetCore.Builder.EndpointRouteBuilderExtensions.MapGet(
                            routes,
                            "/probe",
                            _ => Task.CompletedTask
                        )
                        .For(ServerClearance.Anybody);
                },
            }
        );
        foreach (
            var (certificate, path, status) in ((X509Certificate2?, string, HttpStatusCode)[])
                [
                    (ReaderCertificate, "/figures", HttpStatusCode.Forbidden),
                    (RootCertificate, "/figures", HttpStatusCode.OK),
                    (null, "/figures", HttpStatusCode.Forbidden),
                    (null, "/probe", HttpStatusCode.OK),
                ]
        )
        {
            using var http = Client(certificate, server.Url);
            Assert.Equal(status, (await http.GetAsync(path)).StatusCode);
        }
    }

    private static ClientPermission Permission(string name, X509Certificate2 certificate, DatabaseAccess access) =>
        new()
        {
            Name = name,
            Thumbprint = CertificateThumbprint.Of(certificate),
            Databases = new Dictionary<string, DatabaseAccess> { ["db"] = access },
        };

    private static X509Certificate2? CertificateOf(string name) =>
        name switch
        {
            "nobody" => null,
            "stranger" => HostCertificate,
            "late" => LateCertificate,
            "reader" => ReaderCertificate,
            "writer" => WriterCertificate,
            "owner" => OwnerCertificate,
            _ => RootCertificate,
        };

    private HttpClient Client(X509Certificate2? certificate, Uri? url = null)
    {
        var handler = new SocketsHttpHandler
        {
            SslOptions =
            {
                RemoteCertificateValidationCallback = (_, its, _, _) =>
                    its!.GetCertHashString() == HostCertificate.GetCertHashString(),
            },
        };
        if (certificate is not null)
            handler.SslOptions.ClientCertificates = [certificate];
        return new HttpClient(handler) { BaseAddress = url ?? _server.Url };
    }
}
