using System.IO.Compression;
using System.Net;
using System.Text.Json;
using Pipeline.Hosting;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary><c>GET /export</c> as a file that a browser saves.</summary>
public sealed class ExportEndpointTests : IAsyncLifetime, IDisposable
{
    private readonly TestFolder _folder = new();
    private PipelineWorker _worker = null!;
    private HttpClient _http = null!;

    public async Task InitializeAsync()
    {
        var file = _folder.Write(
            "pipeline.yaml",
            """
            version: 1
            database: { name: shop, path: ./data }
            server: { url: "http://127.0.0.1:0" }
            """
        );
        _worker = await PipelineWorker.OpenAsync(new WorkerOptions { ConfigurationFile = file, Listens = true });
        _http = new HttpClient { BaseAddress = _worker.Address };
        await _worker.Database.PutAsync("a/1", """{"N":1e400,"@metadata":{"@collection":"A"}}"""u8.ToArray());
        await _worker.Database.PutAsync("b/1", """{"N":14.0,"@metadata":{"@collection":"B"}}"""u8.ToArray());
    }

    public Task DisposeAsync() => _worker.DisposeAsync().AsTask();

    public void Dispose()
    {
        _http.Dispose();
        _folder.Dispose();
    }

    [Fact]
    public async Task A_packed_file_is_an_attachment_and_tells_how_far_it_is()
    {
        Assert.Equal("Waiting", (await StateAsync("t")).GetProperty("status").GetString());
        using var answer = await _http.GetAsync("/export?collection=A&file=shop-A.jsonl.gz&download=t");
        Assert.Equal("shop-A.jsonl.gz", answer.Content.Headers.ContentDisposition!.FileName);
        Assert.Equal("application/gzip", answer.Content.Headers.ContentType!.MediaType);
        using var text = new StreamReader(
            new GZipStream(await answer.Content.ReadAsStreamAsync(), CompressionMode.Decompress)
        );
        Assert.Contains("1e400", await text.ReadLineAsync(), StringComparison.Ordinal);
        Assert.Null(await text.ReadLineAsync());
        var state = await StateAsync("t");
        Assert.Equal(
            ("Completed", 1, 1),
            (
                state.GetProperty("status").GetString(),
                state.GetProperty("total").GetInt32(),
                state.GetProperty("written").GetInt32()
            )
        );

        using var again = await _http.GetAsync("/export?file=shop.jsonl&download=t");
        Assert.Equal(HttpStatusCode.BadRequest, again.StatusCode);
        Assert.Null(again.Content.Headers.ContentDisposition);
    }

    [Fact]
    public async Task Without_a_name_the_answer_is_lines()
    {
        using var answer = await _http.GetAsync("/export");
        Assert.Null(answer.Content.Headers.ContentDisposition);
        Assert.Equal(2, (await answer.Content.ReadAsStringAsync()).TrimEnd().Split('\n').Length);
    }

    private async Task<JsonElement> StateAsync(string token) =>
        JsonDocument.Parse(await _http.GetStringAsync($"/export/download?download={token}")).RootElement;
}
