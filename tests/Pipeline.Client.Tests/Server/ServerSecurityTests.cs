using System.IO.Compression;
using System.Net;
using System.Net.Http.Json;
using System.Text;
using System.Text.Json;
using Pipeline.Server;
using Pipeline.Server.Databases;
using Pipeline.Server.Hosting;
using Pipeline.Server.Settings;
using Xunit;

namespace Pipeline.Client.Tests.Server;

/// <summary>Attacks on the server.</summary>
public sealed class ServerSecurityTests : IAsyncLifetime, IDisposable
{
    private const string Smuggled =
        "PUT /databases/db/docs?id=smuggled HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}";
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("pipeline-security-");
    private PipelineServer _server = null!;
    private HttpClient _http = null!;

    private string DataFolder => Path.Combine(_folder.FullName, "data");

    public async Task InitializeAsync()
    {
        _server = await PipelineServer.StartAsync(
            new ServerOptions
            {
                DataFolder = DataFolder,
                Limits = new ServerLimits { MaxRequestBytes = 1 << 20, MaxHeadTime = TimeSpan.FromSeconds(1) },
            }
        );
        _http = new HttpClient { BaseAddress = _server.Url };
        await _server.CreateDatabaseAsync("db");
    }

    public async Task DisposeAsync()
    {
        await _server.DisposeAsync();
        _folder.Delete(recursive: true);
    }

    public void Dispose() => _http.Dispose();

    [Theory]
    [InlineData("Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")]
    [InlineData("Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n")]
    [InlineData("Content-Length: 0\r\nContent-Length: 90\r\n\r\n")]
    [InlineData("Content-Length: 0, 90\r\n\r\n")]
    [InlineData("Content-Length: -1\r\n\r\n")]
    [InlineData("Content-Length: 0x0\r\n\r\n")]
    [InlineData("Content-Length : 0\r\n\r\n")]
    [InlineData("Content-Length\t: 0\r\n\r\n")]
    [InlineData("Transfer-Encoding: identity, chunked, identity\r\n\r\n0\r\n\r\n")]
    [InlineData("Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n")]
    [InlineData("Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n")]
    [InlineData("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n")]
    [InlineData("X: a\r\n Transfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n")]
    [InlineData("X: a\rTransfer-Encoding: chunked\r\n\r\n")]
    [InlineData("X: a\0b\r\n\r\n")]
    [InlineData("Transfer-Encoding: chunked\r\n\r\n0;\n\r\n")]
    [InlineData("Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n")]
    [InlineData("Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n\r\n")]
    [InlineData("Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n")]
    public async Task No_request_is_smuggled_within_another(string rest)
    {
        var answer = await RawHttp.AskAsync(
            _server.Url,
            $"POST /databases/db/docs HTTP/1.1\r\nHost: 127.0.0.1\r\n{rest}{Smuggled}"
        );
        Assert.DoesNotContain("201 Created", answer, StringComparison.Ordinal);
        Assert.Equal(HttpStatusCode.NotFound, (await _http.GetAsync("/databases/db/docs?id=smuggled")).StatusCode);
    }

    [Fact]
    public async Task The_smuggled_request_alone_is_a_good_one()
    {
        Assert.Contains("201 Created", await RawHttp.AskAsync(_server.Url, Smuggled), StringComparison.Ordinal);
        Assert.Equal(HttpStatusCode.OK, (await _http.GetAsync("/databases/db/docs?id=smuggled")).StatusCode);
    }

    [Theory]
    [InlineData("gzip")]
    [InlineData("deflate")]
    [InlineData("br")]
    public async Task A_decompression_bomb_is_refused_without_being_unpacked(string encoding)
    {
        var packed = new MemoryStream();
        await using (
            Stream packing = encoding switch
            {
                "gzip" => new GZipStream(packed, CompressionLevel.Optimal, leaveOpen: true),
                "deflate" => new ZLibStream(packed, CompressionLevel.Optimal, leaveOpen: true),
                _ => new BrotliStream(packed, CompressionLevel.Optimal, leaveOpen: true),
            }
        )
        {
            await packing.WriteAsync(
                "{\"Commands\":[{\"Type\":\"PUT\",\"Id\":\"a\",\"Document\":{\"A\":\""u8.ToArray()
            );
            var part = Encoding.ASCII.GetBytes(new string('x', 1 << 20));
            for (var i = 0; i < 64; i++)
                await packing.WriteAsync(part);
        }
        Assert.True(packed.Length < 1 << 20, "what is sent is small");
        // Other tests allocate concurrently, so the minimum of several runs is an upper bound for the request itself.
        var least = long.MaxValue;
        for (var times = 0; times < 5 && least >= 64 << 20; times++)
        {
            var before = GC.GetTotalAllocatedBytes();
            using var content = new ByteArrayContent(packed.ToArray()) { Headers = { ContentEncoding = { encoding } } };
            using var answer = await _http.PostAsync("/databases/db/bulk_docs", content);
            Assert.Equal(HttpStatusCode.RequestEntityTooLarge, answer.StatusCode);
            least = Math.Min(least, GC.GetTotalAllocatedBytes() - before);
        }
        Assert.True(least < 64 << 20, "it was not unpacked");
    }

    [Theory]
    [InlineData("POST", "/databases/db/bulk_docs")]
    [InlineData("PUT", "/databases/db/docs?id=a")]
    [InlineData("POST", "/databases/db/queries")]
    [InlineData("POST", "/databases/db/multi_get")]
    [InlineData("PUT", "/admin/databases?name=big")]
    [InlineData("DELETE", "/admin/databases")]
    public async Task A_body_beyond_the_limit_is_refused(string method, string path)
    {
        // A client that still sends when the server closes may miss the answer, so all that is sent is what the server
        // reads.
        const int most = 1 << 20;
        var head = $"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n";
        foreach (
            var rest in (string[])
                [
                    $"Content-Length: {most + 1}\r\n\r\n",
                    $"Transfer-Encoding: chunked\r\n\r\n{most + 1:x}\r\n{{\"A\":\"{new string('x', most - 5)}",
                ]
        )
        {
            Assert.StartsWith(
                "HTTP/1.1 413 ",
                await RawHttp.AskAsync(_server.Url, head + rest),
                StringComparison.Ordinal
            );
        }
    }

    [Fact]
    public async Task A_document_of_a_bulk_insert_beyond_the_limit_is_refused()
    {
        var answer = await _http.PostAsync(
            "/databases/db/bulk_insert?id=1",
            new StringContent(
                "[{\"Id\":\"a\",\"Type\":\"PUT\",\"Document\":{\"A\":\"" + new string('x', 3 << 20) + "\"}}]"
            )
        );
        Assert.Equal(HttpStatusCode.BadRequest, answer.StatusCode);
        Assert.Contains("more than 1048576 bytes", await answer.Content.ReadAsStringAsync(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_head_that_never_ends_is_cut_off()
    {
        using var tcp = new System.Net.Sockets.TcpClient();
        await tcp.ConnectAsync(_server.Url.Host, _server.Url.Port);
        await tcp.GetStream().WriteAsync("GET / HTTP/1.1\r\nHost: a\r\nX-A: b\r\n"u8.ToArray());
        using var reader = new StreamReader(tcp.GetStream());
        Assert.Contains("408", await reader.ReadToEndAsync(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("../../outside")]
    [InlineData("..\\..\\outside")]
    [InlineData("/etc/passwd")]
    [InlineData("a\0b")]
    [InlineData("C:\\outside")]
    public async Task Ids_and_names_lead_nowhere_in_the_file_system(string name)
    {
        var before = Files();
        var id = Uri.EscapeDataString(name);
        await _http.PutAsync($"/databases/db/docs?id={id}", JsonContent.Create(new { A = 1 }));
        await _http.GetAsync($"/databases/db/docs?id={id}");
        await _http.GetAsync($"/databases/{id}/docs?id=a");
        await _http.GetAsync($"/databases/db/../../{id}");
        var plain = new JsonSerializerOptions();
        await _http.PutAsync(
            "/databases/db/admin/indexes",
            JsonContent.Create(
                new
                {
                    Indexes = new[] { new { Name = name, Maps = new[] { "from d in docs.Users select new { d.A }" } } },
                },
                options: plain
            )
        );
        await _http.PutAsync(
            "/databases/db/subscriptions",
            JsonContent.Create(new { Name = name, Query = "from Users" }, options: plain)
        );
        await _http.PutAsync(
            $"/admin/databases?name={id}",
            JsonContent.Create(new { DatabaseName = name }, options: plain)
        );
        await _http.SendAsync(
            new HttpRequestMessage(HttpMethod.Delete, "/admin/databases")
            {
                Content = JsonContent.Create(
                    new { HardDelete = true, DatabaseNames = new[] { name, "../data/db", "." } },
                    options: plain
                ),
            }
        );
        Assert.Equal(["db"], _server.DatabaseNames);
        Assert.Equal(before, Files());
        Assert.Equal(
            HttpStatusCode.NoContent,
            (await _http.DeleteAsync("/databases/db/indexes?name=" + id)).StatusCode is var status
            && status == HttpStatusCode.NotFound
                ? HttpStatusCode.NoContent
                : status
        );

        string[] Files() =>
            [
                .. _folder
                    .EnumerateFileSystemInfos("*", SearchOption.AllDirectories)
                    .Select(f => f.FullName)
                    .Where(f => !f.StartsWith(Path.Combine(DataFolder, "db"), StringComparison.Ordinal))
                    .Order(),
            ];
    }

    [Theory]
    [InlineData("Origin", "http://evil.example", HttpStatusCode.Forbidden)]
    [InlineData("Origin", "null", HttpStatusCode.Forbidden)]
    [InlineData("Host", "evil.example", HttpStatusCode.Forbidden)]
    [InlineData("Host", "localhost:1", HttpStatusCode.NotFound)]
    public async Task A_page_in_a_browser_cannot_use_a_server_that_asks_nobody(
        string header,
        string value,
        HttpStatusCode expected
    )
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, "/databases/db/docs?id=a");
        request.Headers.TryAddWithoutValidation(header, value);
        Assert.Equal(expected, (await _http.SendAsync(request)).StatusCode);
    }

    [Fact]
    public async Task Requests_within_a_request_do_not_nest()
    {
        var inner = new
        {
            Url = "/databases/db/multi_get",
            Method = "POST",
            Content = new { Requests = Array.Empty<object>() },
        };
        var answer = await _http.PostAsync(
            "/databases/db/multi_get",
            JsonContent.Create(new { Requests = new[] { inner } }, options: new JsonSerializerOptions())
        );
        var result = (await answer.Content.ReadFromJsonAsync<JsonElement>()).GetProperty("Results")[0];
        Assert.Equal(400, result.GetProperty("StatusCode").GetInt32());
    }
}
