using System.Net;
using System.Net.Http.Json;
using System.Text;
using System.Text.Json;
using Pipeline.Server;
using Pipeline.Server.Hosting;
using Xunit;

namespace Pipeline.Tests.Server;

/// <summary>No request of a reader can end, fill or stop the process.</summary>
public sealed class ReaderLimitTests : IAsyncLifetime, IDisposable
{
    private static readonly JsonSerializerOptions Plain = new();
    private PipelineServer _server = null!;
    private HttpClient _http = null!;

    public async Task InitializeAsync()
    {
        _server = await PipelineServer.StartAsync(new ServerOptions { Limits = new ServerLimits { MaxRequestMemory = 4 << 20, MaxMemory = 8 << 20 } });
        _http = new HttpClient { BaseAddress = _server.Url };
        await _server.CreateDatabaseAsync("db");
    }

    public async Task DisposeAsync() => await _server.DisposeAsync();

    public void Dispose() => _http.Dispose();

    [Theory]
    [InlineData("GET")]
    [InlineData("POST")]
    public async Task An_id_that_is_repeated_is_answered_once(string method)
    {
        await PutAsync("big", 100_000);
        await PutAsync("other", 10);
        string[] ids = [.. Enumerable.Repeat("big", 200), "BIG", "other", "none", "none", "other"];
        using var answer = method == "GET"
            ? await _http.GetAsync("/databases/db/docs?" + string.Join('&', ids.Select(id => "id=" + id)))
            : await _http.PostAsJsonAsync("/databases/db/docs", new { Ids = ids }, Plain);
        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        var text = await answer.Content.ReadAsStringAsync();
        Assert.InRange(text.Length, 100_000, 110_000);
        using var json = JsonDocument.Parse(text);
        Assert.Equal(["big", "other", null], json.RootElement.GetProperty("Results").EnumerateArray().Select(Id));
    }

    [Fact]
    public async Task Documents_beyond_what_one_answer_may_hold_are_refused()
    {
        for (var i = 0; i < 50; i++)
            await PutAsync("big/" + i, 100_000);
        using var answer = await _http.PostAsJsonAsync("/databases/db/docs", new { Ids = Enumerable.Range(0, 50).Select(i => "big/" + i) }, Plain);
        await AssertRefusedAsync(answer, HttpStatusCode.RequestEntityTooLarge, "server.limits.requestMemory");
        using var fewer = await _http.PostAsJsonAsync("/databases/db/docs", new { Ids = Enumerable.Range(0, 30).Select(i => "big/" + i) }, Plain);
        Assert.Equal(HttpStatusCode.OK, fewer.StatusCode);
    }

    [Fact]
    public async Task Includes_beyond_what_one_answer_may_hold_are_refused()
    {
        for (var i = 0; i < 50; i++)
            await PutAsync("big/" + i, 100_000);
        await _http.PutAsJsonAsync("/databases/db/docs?id=list", new { Of = Enumerable.Range(0, 50).Select(i => "big/" + i) }, Plain);
        using var answer = await _http.GetAsync("/databases/db/docs?id=list&include=Of[]");
        await AssertRefusedAsync(answer, HttpStatusCode.RequestEntityTooLarge, "server.limits.requestMemory");
    }

    [Theory]
    [InlineData("from @all_docs")]
    [InlineData("from @all_docs where id() = 'list' include Of[]")]
    public async Task Results_beyond_what_one_answer_may_hold_are_refused_and_can_be_streamed(string query)
    {
        for (var i = 0; i < 50; i++)
            await PutAsync("big/" + i, 100_000);
        await _http.PutAsJsonAsync("/databases/db/docs?id=list", new { Of = Enumerable.Range(0, 50).Select(i => "big/" + i) }, Plain);
        using var answer = await _http.PostAsJsonAsync("/databases/db/queries", new { Query = query }, Plain);
        await AssertRefusedAsync(answer, HttpStatusCode.RequestEntityTooLarge, "server.limits.requestMemory");
        using var page = await _http.PostAsJsonAsync("/databases/db/queries", new { Query = "from @all_docs", PageSize = 20 }, Plain);
        Assert.Equal(HttpStatusCode.OK, page.StatusCode);
        using var stream = await _http.GetAsync("/databases/db/streams/queries?query=from%20%40all_docs");
        Assert.Equal(51, JsonDocument.Parse(await stream.Content.ReadAsStringAsync()).RootElement.GetProperty("Results").GetArrayLength());
    }

    [Fact]
    public async Task Requests_within_a_request_share_its_limit()
    {
        await PutAsync("big", 1_000_000);
        var inner = new { Url = "/databases/db/docs", Query = "?id=big", Method = "GET" };
        using var answer = await _http.PostAsJsonAsync("/databases/db/multi_get", new { Requests = Enumerable.Repeat(inner, 100) }, Plain);
        await AssertRefusedAsync(answer, HttpStatusCode.RequestEntityTooLarge, "server.limits.requestMemory");
    }

    [Theory]
    [InlineData("/databases/db/multi_get/")]
    [InlineData("/databases/db/Multi_Get//")]
    [InlineData("/databases/db/multi%5Fget")]
    public async Task Requests_within_a_request_do_not_nest(string path)
    {
        var leaf = new { Url = "/databases/db/docs", Query = "?id=a", Method = "GET" };
        var inner = new { Url = path, Method = "POST", Content = new { Requests = new[] { leaf } } };
        using var answer = await _http.PostAsJsonAsync("/databases/db/multi_get", new { Requests = new[] { inner } }, Plain);
        using var json = JsonDocument.Parse(await answer.Content.ReadAsStringAsync());
        var status = json.RootElement.GetProperty("Results")[0].GetProperty("StatusCode").GetInt32();
        Assert.True(status is 400 or 501, $"{path}: {status}");
    }

    [Theory]
    [InlineData("""{"Commands":[5]}""")]
    [InlineData("""{"Commands":[{"Id":"x","Type":"PUT","Document":{}},"DELETE"]}""")]
    [InlineData("""{"Commands":[[]]}""")]
    [InlineData("""{"Commands":[null]}""")]
    [InlineData("""{"Commands":[{"Id":"x","Type":"PUT","Document":{}}],"Commands":[]}""")]
    [InlineData("""{"Commands":[{"Id":"x","Type":"PUT","Document":{}}""")]
    [InlineData("""{"Commands":[{"Id":"x","Type":"PUT","Document":{}}]} {}""")]
    [InlineData("""{}""")]
    [InlineData("""{"commands":[]}""")]
    public async Task A_save_with_what_is_no_command_stores_nothing(string body)
    {
        using var answer = await _http.PostAsync("/databases/db/bulk_docs", new StringContent(body, Encoding.UTF8, "application/json"));
        Assert.Equal(HttpStatusCode.BadRequest, answer.StatusCode);
        Assert.Equal(HttpStatusCode.NotFound, (await _http.GetAsync("/databases/db/docs?id=x")).StatusCode);
    }

    [Theory]
    [InlineData("text/html\r\nX-Evil: 1")]
    [InlineData("text/plain\n")]
    [InlineData("a\0b/c")]
    [InlineData("text/ümlaut")]
    public async Task A_content_type_that_no_header_can_hold_is_refused(string type)
    {
        await PutAsync("a", 1);
        using var put = await _http.PutAsync($"/databases/db/attachments?id=a&name=n&contentType={Uri.EscapeDataString(type)}", new ByteArrayContent([1]));
        Assert.Equal(HttpStatusCode.BadRequest, put.StatusCode);
        Assert.Contains("content type", await put.Content.ReadAsStringAsync(), StringComparison.OrdinalIgnoreCase);
        Assert.Equal(HttpStatusCode.NotFound, (await _http.GetAsync("/databases/db/attachments?id=a&name=n")).StatusCode);
    }

    [Theory]
    [InlineData("10000000000000000")]
    [InlineData("fffffffffffffffff")]
    [InlineData("7fffffffffffffff")]
    public async Task A_chunk_too_long_for_a_number_is_the_senders_fault(string size)
    {
        var answer = await RawHttp.AskAsync(_server.Url, $"POST /databases/db/bulk_docs HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n{size}\r\n{{\r\n");
        Assert.True(answer.StartsWith("HTTP/1.1 4", StringComparison.Ordinal), answer);
    }

    private static string? Id(JsonElement document) => document.ValueKind == JsonValueKind.Null ? null : document.GetProperty("@metadata").GetProperty("@id").GetString();

    private static async Task AssertRefusedAsync(HttpResponseMessage answer, HttpStatusCode status, string text)
    {
        Assert.Equal(status, answer.StatusCode);
        Assert.Contains(text, await answer.Content.ReadAsStringAsync(), StringComparison.Ordinal);
    }

    private async Task PutAsync(string id, int length) =>
        (await _http.PutAsJsonAsync("/databases/db/docs?id=" + Uri.EscapeDataString(id), new { A = new string('x', length) }, Plain)).EnsureSuccessStatusCode();
}
