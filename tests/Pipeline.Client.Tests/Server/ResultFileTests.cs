using System.Net;
using System.Text;
using System.Text.Json;
using Pipeline.Database;
using Pipeline.Server;
using Pipeline.Server.Hosting;
using Pipeline.Server.Settings;
using Xunit;

namespace Pipeline.Client.Tests.Server;

/// <summary>Results of queries as files that a browser saves, and how far they are.</summary>
public sealed class ResultFileTests : IAsyncLifetime, IDisposable
{
    private PipelineServer _server = null!;
    private HttpClient _http = null!;
    private DocumentDatabase _db = null!;

    public async Task InitializeAsync()
    {
        _server = await PipelineServer.StartAsync(new ServerOptions { Url = new Uri("http://127.0.0.1:0") });
        _db = await _server.CreateDatabaseAsync("shop");
        _http = new HttpClient { BaseAddress = new Uri(_server.Url, "/databases/shop/") };
        string[] bodies =
        [
            """{"Name":"a \"b\", c","Total":9007199254740993.10,"At":{"City":"Rome"},"At.Zip":1e400,"Tags":["x","y"],"Own":true}""",
            """{"Name":" edge","Total":null,"At":{"City":"two\nlines"},"Own":false}""",
            """{"Name":"","At":"none"}""",
        ];
        for (var i = 0; i < bodies.Length; i++)
        {
            await _db.PutAsync(
                $"orders/{i}",
                Encoding.UTF8.GetBytes(bodies[i][..^1] + ",\"@metadata\":{\"@collection\":\"Orders\"}}")
            );
        }
    }

    public async Task DisposeAsync() => await _server.DisposeAsync();

    public void Dispose() => _http.Dispose();

    [Fact]
    public async Task A_table_quotes_what_it_must_and_keeps_every_digit()
    {
        using var answer = await _http.GetAsync(
            $"streams/queries?query={Uri.EscapeDataString("from Orders")}&file=Größe.csv&columns=Name&columns=Total&columns=At.City&columns=At.Zip&columns=Tags&columns=Own&columns={Uri.EscapeDataString("a,b")}"
        );
        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        Assert.Equal("text/csv", answer.Content.Headers.ContentType!.MediaType);
        Assert.Equal("attachment", answer.Content.Headers.ContentDisposition!.DispositionType);
        Assert.Equal("Größe.csv", answer.Content.Headers.ContentDisposition.FileNameStar);
        Assert.Equal(
            string.Concat(
                "@id,Name,Total,At.City,At.Zip,Tags,Own,\"a,b\"\r\n",
                "orders/0,\"a \"\"b\"\", c\",9007199254740993.10,Rome,1e400,\"[\"\"x\"\",\"\"y\"\"]\",true,\r\n",
                "orders/1,\" edge\",,\"two\nlines\",,,false,\r\n",
                "orders/2,,,,,,,\r\n"
            ),
            await answer.Content.ReadAsStringAsync()
        );
    }

    [Theory]
    [InlineData(
        "from Orders select Total",
        "totals.csv",
        "@id,Total\r\norders/0,9007199254740993.10\r\norders/1,\r\norders/2,\r\n"
    )]
    [InlineData("from Orders where id() = 'orders/9'", "none.csv", "@id,Total\r\n")]
    [InlineData("from Orders where id() = 'orders/9'", "none.json", "[\n]\n")]
    [InlineData("from Orders where id() = 'orders/9'", "none.jsonl", "")]
    public async Task Projections_and_no_results_are_files_too(string query, string file, string expected) =>
        Assert.Equal(
            expected,
            await _http.GetStringAsync($"streams/queries?query={Uri.EscapeDataString(query)}&file={file}&columns=Total")
        );

    [Theory]
    [InlineData("all.json")]
    [InlineData("all.jsonl")]
    public async Task Documents_are_a_list_or_a_line_each(string file)
    {
        var text = await _http.GetStringAsync($"streams/queries?query=from+Orders&file={file}");
        Assert.Contains("9007199254740993.10", text, StringComparison.Ordinal);
        Assert.Contains("1e400", text, StringComparison.Ordinal);
        var ids = file.EndsWith(".json", StringComparison.Ordinal)
            ? JsonDocument.Parse(text).RootElement.EnumerateArray().Select(Id)
            : text.TrimEnd().Split('\n').Select(line => Id(JsonDocument.Parse(line).RootElement));
        Assert.Equal(["orders/0", "orders/1", "orders/2"], ids);
    }

    [Theory]
    [InlineData("from Orders", "all.txt", "the file 'all.txt' must end with .csv, .json or .jsonl")]
    [InlineData("fetch Orders", "all.csv", "from")]
    public async Task A_wrong_file_is_refused(string query, string file, string error)
    {
        using var answer = await _http.GetAsync(
            $"streams/queries?query={Uri.EscapeDataString(query)}&file={file}&download=wrong"
        );
        Assert.Equal(HttpStatusCode.BadRequest, answer.StatusCode);
        Assert.Contains(error, await answer.Content.ReadAsStringAsync(), StringComparison.Ordinal);
        Assert.Equal("Waiting", (await StateAsync("wrong")).GetProperty("Status").GetString());
    }

    [Fact]
    public async Task A_download_tells_how_far_it_is_and_its_token_is_good_once()
    {
        Assert.Equal("Waiting", (await StateAsync("one")).GetProperty("Status").GetString());
        const string path = "streams/queries?query=from+Orders&file=all.jsonl&download=one";
        await _http.GetStringAsync(path);
        var state = await StateAsync("one");
        Assert.Equal("Completed", state.GetProperty("Status").GetString());
        Assert.Equal(3, state.GetProperty("Total").GetInt64());
        Assert.Equal(3, state.GetProperty("Written").GetInt64());

        using var again = await _http.GetAsync(path);
        Assert.Equal(HttpStatusCode.BadRequest, again.StatusCode);
        Assert.Null(again.Content.Headers.ContentDisposition);
        using var tooLong = await _http.GetAsync(path + new string('x', 100));
        Assert.Equal(HttpStatusCode.BadRequest, tooLong.StatusCode);
    }

    [Fact]
    public async Task A_cancelled_download_is_cut_off()
    {
        // Larger than all buffers between the server and this client, which reads nothing yet.
        var text = Encoding.UTF8.GetBytes(
            $$$"""{"Text":"{{{new string('x', 1 << 20)}}}","@metadata":{"@collection":"Large"}}"""
        );
        for (var i = 0; i < 64; i++)
            await _db.PutAsync($"large/{i}", text);
        using var answer = await _http.GetAsync(
            "streams/queries?query=from+Large&file=large.jsonl&download=large",
            HttpCompletionOption.ResponseHeadersRead
        );
        var running = await StateAsync("large");
        Assert.Equal("Running", running.GetProperty("Status").GetString());
        Assert.Equal(64, running.GetProperty("Total").GetInt64());
        using (var cancelled = await _http.DeleteAsync("streams/downloads?download=large"))
            Assert.Equal(HttpStatusCode.NoContent, cancelled.StatusCode);
        await Assert.ThrowsAsync<HttpRequestException>(() => answer.Content.CopyToAsync(Stream.Null));
        Assert.Equal("Canceled", (await StateAsync("large")).GetProperty("Status").GetString());
    }

    private static string Id(JsonElement document) => document.GetProperty("@metadata").GetProperty("@id").GetString()!;

    private async Task<JsonElement> StateAsync(string token) =>
        JsonDocument.Parse(await _http.GetStringAsync($"streams/downloads?download={token}")).RootElement;
}
