using System.Net;
using System.Text.Json;
using Pipeline.Documents;
using Pipeline.Hosting;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary>
/// <c>POST /subscriptions/try</c>, and what a backup can bring back: <c>GET /backups/NAME/points</c>, <c>preview</c>,
/// <c>document</c>. Their rights are in <see cref="LogAndClientEndpointTests"/>.
/// </summary>
public sealed class TrialAndPointEndpointTests : IAsyncLifetime, IDisposable
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
            subscriptions: [{ name: large, query: "from Orders where Total > 5" }]
            backups: [{ name: nightly, to: { folder: ./backups } }]
            """
        );
        _worker = await PipelineWorker.OpenAsync(new WorkerOptions { ConfigurationFile = file, Listens = true });
        _http = new HttpClient { BaseAddress = _worker.Address };
        for (var i = 1; i <= 10; i++)
            await PutAsync($"orders/{i}", i);
    }

    public Task DisposeAsync() => _worker.DisposeAsync().AsTask();

    public void Dispose()
    {
        _http.Dispose();
        _folder.Dispose();
    }

    [Theory]
    [InlineData("""{"query":"from Orders where Total > 7"}""", 10, "orders/8 orders/9 orders/10")]
    [InlineData("""{"name":"large"}""", 10, "orders/6 orders/7 orders/8 orders/9 orders/10")]
    [InlineData("""{"query":"from Orders","last":2}""", 2, "orders/9 orders/10")]
    [InlineData("""{"query":"from Nothing"}""", 0, "")]
    [InlineData("""{"collections":["Orders"],"last":1}""", 1, "orders/10")]
    public async Task A_try_shows_what_would_be_delivered_and_stores_nothing(string body, int tried, string given)
    {
        var before = _worker.Subscriptions.GetStatus().Count;
        using var answer = await TryAsync(body);
        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        var result = JsonDocument.Parse(await answer.Content.ReadAsStringAsync()).RootElement;
        Assert.Equal(tried, result.GetProperty("tried").GetInt32());
        Assert.Equal(
            given.Split(' ', StringSplitOptions.RemoveEmptyEntries).Order(),
            result
                .GetProperty("given")
                .EnumerateArray()
                .Select(g => g.GetProperty("@metadata").GetProperty("@id").GetString()!)
                .Order()
        );
        Assert.Empty(result.GetProperty("failed").EnumerateArray());
        Assert.Equal(before, _worker.Subscriptions.GetStatus().Count);
    }

    [Theory]
    [InlineData(
        "{}",
        HttpStatusCode.BadRequest,
        "the body must have a name, a query or collections: { \"query\": \"from Orders\" }"
    )]
    [InlineData("null", HttpStatusCode.BadRequest, "the body must have a name, a query or collections")]
    [InlineData("from Orders", HttpStatusCode.BadRequest, "")]
    [InlineData("""{"query":"from Orders","last":"all"}""", HttpStatusCode.BadRequest, "")]
    [InlineData("""{"query":"fetch Orders"}""", HttpStatusCode.BadRequest, "from")]
    [InlineData("""{"name":"missing"}""", HttpStatusCode.NotFound, "There is no subscription 'missing'")]
    public async Task A_wrong_try_is_refused(string body, HttpStatusCode status, string error)
    {
        using var answer = await TryAsync(body);
        Assert.Equal((body, status), (body, answer.StatusCode));
        Assert.Contains(error, await ErrorAsync(answer), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Points_grow_with_backups_and_a_preview_counts_what_a_restore_would_lose()
    {
        var none = await ReadAsync("/backups/nightly/points");
        Assert.Empty(none.GetProperty("backups").EnumerateArray());
        using (var early = await _http.GetAsync("/backups/nightly/preview"))
        {
            Assert.Contains(
                "backup 'nightly' has nothing stored yet",
                await ErrorAsync(early),
                StringComparison.Ordinal
            );
        }

        await RunAsync("full");
        var first = (await ReadAsync("/backups/nightly/points"))
            .GetProperty("backups")[0]
            .GetProperty("to")
            .GetProperty("position")
            .GetInt64();
        await PutAsync("orders/1", 1000);
        await RunAsync("incremental");
        await PutAsync("orders/2", 2000);

        var points = await ReadAsync("/backups/nightly/points");
        Assert.Empty(points.GetProperty("damaged").EnumerateArray());
        var backups = points.GetProperty("backups").EnumerateArray().ToList();
        Assert.Equal(["Full", "Incremental"], backups.Select(b => b.GetProperty("kind").GetString()));
        Assert.Equal(backups[0].GetProperty("id").GetString(), backups[1].GetProperty("parent").GetString());
        Assert.Equal([first, first + 1], backups.Select(b => b.GetProperty("to").GetProperty("position").GetInt64()));

        var preview = await ReadAsync($"/backups/nightly/preview?position={first}");
        Assert.Equal(first, preview.GetProperty("reached").GetProperty("position").GetInt64());
        var document = await ReadAsync($"/backups/nightly/document?id=orders/1&position={first}");
        Assert.Contains("\"Total\":1", document.GetProperty("document").GetString(), StringComparison.Ordinal);
        Assert.DoesNotContain("1000", document.GetProperty("document").GetString(), StringComparison.Ordinal);
        var newest = await ReadAsync("/backups/nightly/document?id=orders/1");
        Assert.Contains("1000", newest.GetProperty("document").GetString(), StringComparison.Ordinal);
        var absent = await ReadAsync("/backups/nightly/document?id=orders/99");
        Assert.Equal(JsonValueKind.Null, absent.GetProperty("document").ValueKind);
    }

    [Theory]
    [InlineData("weekly/points", "there is no backup 'weekly'; there are: nightly")]
    [InlineData("nightly/preview?position=last", "position is 'last'; it must be a whole number")]
    [InlineData("nightly/preview?time=yesterday", "time is 'yesterday'; write it as 2026-11-20T12:00:00Z")]
    [InlineData("nightly/points?destination=2", "destination is '2'; backup 'nightly' has 1")]
    [InlineData("nightly/points?destination=first", "destination is 'first'; backup 'nightly' has 1")]
    [InlineData("nightly/document", "id is missing: ?id=orders/1")]
    public async Task A_wrong_point_is_refused(string path, string error)
    {
        await RunAsync("full");
        using var answer = await _http.GetAsync("/backups/" + path);
        Assert.Equal((path, HttpStatusCode.BadRequest), (path, answer.StatusCode));
        Assert.Equal(error, await ErrorAsync(answer));
    }

    private Task<PutResult> PutAsync(string id, int total) =>
        _worker.Database.PutAsync(
            id,
            System.Text.Encoding.UTF8.GetBytes($$$"""{"Total":{{{total}}},"@metadata":{"@collection":"Orders"}}""")
        );

    private Task<HttpResponseMessage> TryAsync(string body) =>
        _http.PostAsync("/subscriptions/try", new StringContent(body));

    private async Task RunAsync(string kind)
    {
        using var answer = await _http.PostAsync($"/backups/nightly/run?kind={kind}", null);
        Assert.True(answer.IsSuccessStatusCode, await answer.Content.ReadAsStringAsync());
    }

    private async Task<JsonElement> ReadAsync(string path) =>
        JsonDocument.Parse(await _http.GetStringAsync(path)).RootElement;

    private static async Task<string> ErrorAsync(HttpResponseMessage answer) =>
        JsonDocument.Parse(await answer.Content.ReadAsStringAsync()).RootElement.GetProperty("error").GetString()!;
}
