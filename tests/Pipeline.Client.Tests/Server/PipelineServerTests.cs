using System.IO.Compression;
using System.Net;
using System.Net.Http.Json;
using System.Text;
using System.Text.Json;
using Pipeline.Server;
using Pipeline.Server.Errors;
using Pipeline.Server.Hosting;
using Pipeline.Server.Settings;
using Xunit;

namespace Pipeline.Client.Tests.Server;

public sealed class PipelineServerTests : IAsyncLifetime, IDisposable
{
    private PipelineServer _server = null!;
    private HttpClient _http = null!;

    public async Task InitializeAsync()
    {
        _server = await PipelineServer.StartAsync(
            new ServerOptions { Limits = new ServerLimits { MaxRequestBytes = 1 << 20 } }
        );
        _http = new HttpClient { BaseAddress = _server.Url };
        await _server.CreateDatabaseAsync("db");
    }

    public async Task DisposeAsync() => await _server.DisposeAsync();

    public void Dispose() => _http.Dispose();

    [Theory]
    [InlineData("")]
    [InlineData("..")]
    [InlineData("../outside")]
    [InlineData("a/b")]
    [InlineData("a\\b")]
    [InlineData(".hidden")]
    [InlineData("dot.")]
    [InlineData("nul\0")]
    [InlineData("nul")]
    [InlineData("Com1.orders")]
    public async Task A_name_that_could_lead_out_of_the_data_folder_is_refused(string name)
    {
        await Assert.ThrowsAsync<InvalidDatabaseNameException>(() => _server.CreateDatabaseAsync(name));
        var answer = await _http.PutAsync(
            $"/admin/databases?name={Uri.EscapeDataString(name)}",
            new StringContent("{}")
        );
        Assert.Equal(HttpStatusCode.BadRequest, answer.StatusCode);
        Assert.Equal(["db"], _server.DatabaseNames);
    }

    [Fact]
    public async Task A_missing_database_is_named_in_a_header_and_as_the_exception_that_clients_know()
    {
        var answer = await _http.GetAsync("/databases/nope/docs?id=a");
        Assert.Equal(HttpStatusCode.ServiceUnavailable, answer.StatusCode);
        Assert.Equal("nope", answer.Headers.GetValues("Database-Missing").Single());
        Assert.Equal("5.4.200", answer.Headers.GetValues("Raven-Server-Version").Single());
        Assert.Equal(
            "Raven.Client.Exceptions.Database.DatabaseDoesNotExistException",
            (await JsonAsync(answer)).GetProperty("Type").GetString()
        );
    }

    [Fact]
    public async Task Databases_survive_a_restart_and_are_gone_with_their_files_once_deleted()
    {
        var folder = Directory.CreateTempSubdirectory("pipeline-server-");
        try
        {
            var options = new ServerOptions { DataFolder = folder.FullName };
            await using (var first = await PipelineServer.StartAsync(options))
            {
                var database = await first.CreateDatabaseAsync("Kept");
                await database.PutAsync("a", "{}"u8.ToArray());
                await Assert.ThrowsAsync<DatabaseExistsException>(() => first.CreateDatabaseAsync("kept"));
                await first.CreateDatabaseAsync("gone");
                using var http = new HttpClient { BaseAddress = first.Url };
                using var delete = new HttpRequestMessage(HttpMethod.Delete, "/admin/databases")
                {
                    Content = new StringContent("""{"HardDelete":true,"DatabaseNames":["GONE"]}"""),
                };
                (await http.SendAsync(delete)).EnsureSuccessStatusCode();
                await first.CreateDatabaseAsync("aside");
                using var setAside = new HttpRequestMessage(HttpMethod.Delete, "/admin/databases")
                {
                    Content = new StringContent("""{"DatabaseNames":["aside"]}"""),
                };
                (await http.SendAsync(setAside)).EnsureSuccessStatusCode();
                folder.CreateSubdirectory("lost+found");
            }
            await using var second = await PipelineServer.StartAsync(options);
            Assert.Equal(["Kept"], second.DatabaseNames);
            Assert.Equal(
                [".deleted-aside-", "Kept", "lost+found"],
                folder.GetDirectories().Select(d => d.Name.TrimEnd([.. "0123456789"])).Order(StringComparer.Ordinal)
            );
            Assert.Empty(folder.GetDirectories("lost+found").Single().EnumerateFiles());
            using var snapshot = second.GetDatabase("KEPT")!.OpenSnapshot();
            Assert.True(snapshot.TryGet("a", out _));
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    [Fact]
    public async Task A_conflict_undoes_the_batch_and_says_which_version_is_there()
    {
        await PutAsync("users/1", """{"name":"Ann","@metadata":{"@collection":"Users"}}""");
        var answer = await _http.PostAsync(
            "/databases/db/bulk_docs",
            new StringContent(
                """{"Commands":[{"Id":"users/2","Type":"PUT","Document":{"name":"Bob"}},{"Id":"users/1","Type":"DELETE","ChangeVector":"A:99-AAAAAAAAAAAAAAAAAAAAAA"}]}"""
            )
        );
        Assert.Equal(HttpStatusCode.Conflict, answer.StatusCode);
        var error = await JsonAsync(answer);
        Assert.Equal("Raven.Client.Exceptions.ConcurrencyException", error.GetProperty("Type").GetString());
        Assert.StartsWith("A:1-", error.GetProperty("ActualChangeVector").GetString(), StringComparison.Ordinal);
        Assert.Equal(HttpStatusCode.NotFound, (await _http.GetAsync("/databases/db/docs?id=users/2")).StatusCode);
    }

    [Theory]
    [InlineData("TimeSeries")]
    [InlineData("Counters")]
    public async Task A_command_that_is_not_there_is_named_and_nothing_is_done(string type)
    {
        var answer = await _http.PostAsync(
            "/databases/db/bulk_docs",
            new StringContent(
                $$$"""{"Commands":[{"Id":"a","Type":"PUT","Document":{}},{"Id":"a","Type":"{{{type}}}"}]}"""
            )
        );
        Assert.Equal(HttpStatusCode.NotImplemented, answer.StatusCode);
        var error = await JsonAsync(answer);
        Assert.Equal("System.NotSupportedException", error.GetProperty("Type").GetString());
        Assert.Contains(type, error.GetProperty("Message").GetString(), StringComparison.Ordinal);
        Assert.Equal(HttpStatusCode.NotFound, (await _http.GetAsync("/databases/db/docs?id=a")).StatusCode);
    }

    [Fact]
    public async Task A_bulk_insert_is_stored_as_it_comes_whatever_the_parts_in_which_it_is_sent()
    {
        var text = new StringBuilder("[");
        for (var i = 0; i < 50; i++)
        {
            text.Append(
                    System.Globalization.CultureInfo.InvariantCulture,
                    $$$"""{ "Id" : "users/{{{i:d2}}}","Type":"PUT","Document":{"n":{{{i}}},"text":"{[\"]},\\","@metadata":{"@collection":"Users"} } } ,"""
                )
                .Append("\n{\"Type\":\"HeartBeat\"},");
        }

        text[^1] = ']';
        using var body = new TrickledContent(Encoding.UTF8.GetBytes(text.ToString()), 7);
        (await _http.PostAsync("/databases/db/bulk_insert?id=1", body)).EnsureSuccessStatusCode();
        var statistics = await JsonAsync(await _http.GetAsync("/databases/db/collections/stats"));
        Assert.Equal(50, statistics.GetProperty("Collections").GetProperty("Users").GetInt32());
        Assert.Equal(
            "Completed",
            (await JsonAsync(await _http.GetAsync("/databases/db/operations/state?id=1")))
                .GetProperty("Status")
                .GetString()
        );
    }

    [Theory]
    [InlineData("""[{"Id":"a","Type":"PUT","Document":{}},{"Id":"b","Type":"PUT","Document":{"x":1}""")]
    [InlineData("""{"Id":"a"}""")]
    [InlineData("""[{"Id":"a","Type":"PUT"}]""")]
    [InlineData("""[{"Id":"a","Type":"PUT","Document":{"x":}}]""")]
    [InlineData("""[{"Id":{},"Type":"PUT","Document":{}}]""")]
    [InlineData("""[{"Id":"a","Type":7,"Document":{}}]""")]
    [InlineData("""[{"Id":"a","Type":"AttachmentPUT","Name":"n","ContentLength":"7"}]""")]
    public async Task A_bulk_insert_that_is_none_is_refused(string body)
    {
        var answer = await _http.PostAsync("/databases/db/bulk_insert?id=2", new StringContent(body));
        Assert.Equal(HttpStatusCode.BadRequest, answer.StatusCode);
        Assert.Equal(
            "Faulted",
            (await JsonAsync(await _http.GetAsync("/databases/db/operations/state?id=2")))
                .GetProperty("Status")
                .GetString()
        );
    }

    [Fact]
    public async Task A_bulk_insert_that_fails_says_how_much_of_it_is_stored()
    {
        var answer = await _http.PostAsync(
            "/databases/db/bulk_insert?id=77",
            new StringContent(
                """[{"Id":"a","Type":"PUT","Document":{}},{"Id":"b","Type":"PUT","Document":{}},{"Id":"c\u0001","Type":"PUT","Document":{}}]"""
            )
        );
        Assert.Equal(HttpStatusCode.BadRequest, answer.StatusCode);
        Assert.Contains(
            "The bulk insert stored 2 of 2 documents, then failed: ",
            await answer.Content.ReadAsStringAsync(),
            StringComparison.Ordinal
        );
        var state = await _http.GetStringAsync("/databases/db/operations/state?id=77");
        Assert.Contains(
            "\"Status\":\"Faulted\",\"Progress\":{\"Total\":2,\"Processed\":2}",
            state,
            StringComparison.Ordinal
        );
        Assert.Equal(HttpStatusCode.OK, (await _http.GetAsync("/databases/db/docs?id=b")).StatusCode);
    }

    [Fact]
    public async Task A_body_that_grows_over_the_limit_when_it_is_unpacked_is_refused()
    {
        using var packed = new MemoryStream();
        await using (var gzip = new GZipStream(packed, CompressionLevel.Optimal, leaveOpen: true))
            await gzip.WriteAsync(Encoding.UTF8.GetBytes("{\"x\":\"" + new string('x', 4 << 20) + "\"}"));
        using var content = new ByteArrayContent(packed.ToArray());
        content.Headers.ContentEncoding.Add("gzip");
        var answer = await _http.PutAsync("/databases/db/docs?id=a", content);
        Assert.Equal(HttpStatusCode.RequestEntityTooLarge, answer.StatusCode);
        Assert.Equal(HttpStatusCode.NotFound, (await _http.GetAsync("/databases/db/docs?id=a")).StatusCode);
    }

    [Fact]
    public async Task What_a_client_has_already_is_not_sent_again()
    {
        await PutAsync("companies/1", """{"name":"Acme"}""");
        await PutAsync("users/1", """{"company":"companies/1"}""");
        foreach (
            var path in (string[])
                [
                    "docs?id=users/1",
                    "docs?id=users/1&include=company",
                    "queries?query=from%20%40all_docs",
                    "docs?startsWith=u",
                ]
        )
        {
            var etag = (await _http.GetAsync("/databases/db/" + path)).Headers.ETag!;
            using var again = new HttpRequestMessage(HttpMethod.Get, "/databases/db/" + path)
            {
                Headers = { IfNoneMatch = { etag } },
            };
            Assert.Equal(HttpStatusCode.NotModified, (await _http.SendAsync(again)).StatusCode);
        }
        var before = (await _http.GetAsync("/databases/db/docs?id=users/1&include=company")).Headers.ETag!;
        await PutAsync("companies/1", """{"name":"Acme Inc."}""");
        using var changed = new HttpRequestMessage(HttpMethod.Get, "/databases/db/docs?id=users/1&include=company")
        {
            Headers = { IfNoneMatch = { before } },
        };
        Assert.Equal(HttpStatusCode.OK, (await _http.SendAsync(changed)).StatusCode);
    }

    [Fact]
    public async Task Ranges_of_ids_never_overlap_and_what_is_left_is_given_back()
    {
        var ranges = await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => RangeAsync("tag=users")));
        var all = ranges.Order().ToList();
        Assert.Equal(1, all[0].Low);
        for (var i = 1; i < all.Count; i++)
            Assert.Equal(all[i - 1].High + 1, all[i].Low);
        var last = all[^1];
        using var nothing = new StringContent("");
        Assert.Equal(
            HttpStatusCode.NoContent,
            (
                await _http.PutAsync($"/databases/db/hilo/return?tag=users&end={last.High}&last={last.Low}", nothing)
            ).StatusCode
        );
        Assert.Equal(last.Low + 1, (await RangeAsync("tag=users")).Low);
        var now = Uri.EscapeDataString(
            DateTimeOffset.UtcNow.ToString("O", System.Globalization.CultureInfo.InvariantCulture)
        );
        var (low, high) = await RangeAsync($"tag=users&lastBatchSize=64&lastRangeAt={now}");
        Assert.Equal(128, high - low + 1);

        async Task<(long Low, long High)> RangeAsync(string query)
        {
            var range = await JsonAsync(await _http.GetAsync("/databases/db/hilo/next?" + query));
            Assert.Equal("users/", range.GetProperty("Prefix").GetString());
            return (range.GetProperty("Low").GetInt64(), range.GetProperty("High").GetInt64());
        }
    }

    [Theory]
    [InlineData("http://0.0.0.0:0")]
    [InlineData("http://192.0.2.7:8080")]
    public async Task Without_authentication_it_listens_on_loopback_only(string url)
    {
        var error = await Assert.ThrowsAsync<ServerAddressException>(() =>
            PipelineServer.StartAsync(new ServerOptions { Url = new Uri(url) })
        );
        Assert.Contains("AllowInsecure", error.Message, StringComparison.Ordinal);
    }

    private async Task PutAsync(string id, string json) =>
        (
            await _http.PutAsync($"/databases/db/docs?id={Uri.EscapeDataString(id)}", new StringContent(json))
        ).EnsureSuccessStatusCode();

    private static async Task<JsonElement> JsonAsync(HttpResponseMessage answer) =>
        await answer.Content.ReadFromJsonAsync<JsonElement>();

    /// <summary>A body that is sent in small parts.</summary>
    private sealed class TrickledContent(byte[] bytes, int part) : HttpContent
    {
        protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context)
        {
            for (var from = 0; from < bytes.Length; from += part)
            {
                await stream.WriteAsync(bytes.AsMemory(from, Math.Min(part, bytes.Length - from)));
                await stream.FlushAsync();
            }
        }

        protected override bool TryComputeLength(out long length)
        {
            length = 0;
            return false;
        }
    }
}
