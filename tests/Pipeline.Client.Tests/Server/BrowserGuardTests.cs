using System.Net;
using System.Net.Http.Headers;
using System.Text;
using System.Text.Json;
using Pipeline.Server;
using Xunit;

namespace Pipeline.Client.Tests.Server;

/// <summary>
/// Requests that another site's page can make a browser send, and the harm that stored bytes can do in a browser.
/// </summary>
public sealed class BrowserGuardTests : IAsyncLifetime, IDisposable
{
    private const string Browser = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36";
    private PipelineServer _server = null!;
    private HttpClient _http = null!;

    public async Task InitializeAsync()
    {
        _server = await PipelineServer.StartAsync();
        _http = new HttpClient { BaseAddress = _server.Url };
        await _server.CreateDatabaseAsync("db");
        await _http.PutAsync("/databases/db/docs?id=a", new StringContent("""{"A":1}"""));
    }

    public async Task DisposeAsync() => await _server.DisposeAsync();

    public void Dispose() => _http.Dispose();

    [Theory]
    [InlineData("text/html")]
    [InlineData("image/svg+xml")]
    [InlineData("text/javascript")]
    [InlineData("application/xhtml+xml")]
    public async Task An_attachment_is_downloaded_and_never_shown(string type)
    {
        using var content = new ByteArrayContent("<script>alert(1)</script>"u8.ToArray());
        await _http.PutAsync(
            $"/databases/db/attachments?id=a&name=x%22%3Bü.html&contentType={Uri.EscapeDataString(type)}",
            content
        );
        using var answer = await _http.GetAsync("/databases/db/attachments?id=a&name=x%22%3Bü.html");
        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        Assert.Equal("attachment", answer.Content.Headers.ContentDisposition?.DispositionType);
        Assert.Equal(type, answer.Content.Headers.ContentType?.MediaType);
        AssertInert(answer);
    }

    [Theory]
    [InlineData("/databases/db/docs?id=a", 200)]
    [InlineData("/databases/db/docs?id=none", 404)]
    [InlineData("/databases/db/docs?pageSize=x", 400)]
    [InlineData("/databases/db/queries?query=from%20%40all_docs", 200)]
    [InlineData("/databases/db/queries?query=%3Cscript%3E", 400)]
    [InlineData("/databases/db/streams/docs", 200)]
    [InlineData("/databases/none/docs?id=a", 503)]
    [InlineData("/databases/db/timeseries", 501)]
    [InlineData("/databases", 200)]
    [InlineData("/admin/none", 501)]
    [InlineData("/nothing", 404)]
    public async Task No_answer_can_run_anything(string path, int status)
    {
        using var answer = await _http.GetAsync(path);
        Assert.Equal(status, (int)answer.StatusCode);
        AssertInert(answer);
    }

    [Theory]
    [InlineData("cross-site", null, null, 403)]
    [InlineData("same-site", null, null, 403)]
    [InlineData("same-origin", null, null, 200)]
    [InlineData("none", null, null, 200)]
    [InlineData(null, "http://evil.example/page", null, 403)]
    [InlineData(null, null, Browser, 403)]
    [InlineData(null, "SELF", Browser, 200)]
    [InlineData(null, null, "curl/8.0", 200)]
    [InlineData(null, null, "Mozilla/5.0 (Linux; en-US) PowerShell/7.5.0", 200)]
    public async Task A_page_of_another_site_is_answered_nothing(
        string? site,
        string? referrer,
        string? agent,
        int status
    )
    {
        foreach (
            var path in (string[])
                [
                    "/databases/db/docs?id=a",
                    "/databases/db/queries?query=from%20%40all_docs",
                    "/databases",
                    "/databases/db/stats",
                ]
        )
        {
            using var request = new HttpRequestMessage(HttpMethod.Get, path);
            AddBrowser(request, site, referrer, agent);
            using var answer = await _http.SendAsync(request);
            Assert.True(status == (int)answer.StatusCode, $"{path}: {answer.StatusCode}");
        }
    }

    [Theory]
    [InlineData("cross-site")]
    [InlineData("same-site")]
    [InlineData("none")]
    [InlineData("same-origin")]
    public async Task No_GET_of_a_browser_changes_anything(string site)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, "/databases/db/hilo/next?tag=users");
        AddBrowser(request, site, null, null);
        using var refused = await _http.SendAsync(request);
        Assert.Equal(HttpStatusCode.Forbidden, refused.StatusCode);
        using var given = JsonDocument.Parse(await _http.GetStringAsync("/databases/db/hilo/next?tag=users"));
        Assert.Equal(1, given.RootElement.GetProperty("Low").GetInt32());
    }

    [Fact]
    public async Task A_form_or_a_beacon_of_another_site_is_refused()
    {
        foreach (var origin in (string[])["null", "http://evil.example"])
        {
            using var request = new HttpRequestMessage(HttpMethod.Post, "/databases/db/bulk_docs")
            {
                Content = new StringContent(
                    """{"Commands":[{"Type":"DELETE","Id":"a"}]}""",
                    Encoding.UTF8,
                    "text/plain"
                ),
            };
            request.Headers.TryAddWithoutValidation("Origin", origin);
            using var answer = await _http.SendAsync(request);
            Assert.Equal(HttpStatusCode.Forbidden, answer.StatusCode);
        }
        Assert.Equal(HttpStatusCode.OK, (await _http.GetAsync("/databases/db/docs?id=a")).StatusCode);
    }

    private void AddBrowser(HttpRequestMessage request, string? site, string? referrer, string? agent)
    {
        if (site is not null)
            request.Headers.TryAddWithoutValidation("Sec-Fetch-Site", site);
        if (referrer is not null)
            request.Headers.Referrer = referrer == "SELF" ? new Uri(_server.Url, "/") : new Uri(referrer);
        if (agent is not null)
            request.Headers.TryAddWithoutValidation("User-Agent", agent);
    }

    private static void AssertInert(HttpResponseMessage answer)
    {
        Assert.Equal("nosniff", Header(answer, "X-Content-Type-Options"));
        var policy = Header(answer, "Content-Security-Policy");
        Assert.Contains("default-src 'none'", policy, StringComparison.Ordinal);
        Assert.Contains("sandbox", policy, StringComparison.Ordinal);
        Assert.Equal("same-origin", Header(answer, "Cross-Origin-Resource-Policy"));
    }

    private static string Header(HttpResponseMessage answer, string name) =>
        answer.Headers.TryGetValues(name, out var values) || answer.Content.Headers.TryGetValues(name, out values)
            ? string.Join(',', values)
            : "";
}
