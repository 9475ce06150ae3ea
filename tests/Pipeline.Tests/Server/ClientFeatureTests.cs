using System.Net;
using System.Net.Http.Json;
using System.Text.Json;
using Pipeline.Database;
using Pipeline.Database.Indexes;
using Pipeline.Database.Queries;
using Pipeline.Server;
using Xunit;

namespace Pipeline.Tests.Server;

/// <summary>Single requests of clients whose answers the client's own suite does not look into.</summary>
public sealed class ClientFeatureTests : IAsyncLifetime, IDisposable
{
    private static readonly JsonSerializerOptions Plain = new();
    private PipelineServer _server = null!;
    private DocumentDatabase _database = null!;
    private HttpClient _http = null!;

    public async Task InitializeAsync()
    {
        _server = await PipelineServer.StartAsync();
        _http = new HttpClient { BaseAddress = _server.Url };
        _database = await _server.CreateDatabaseAsync("db");
        foreach (var (id, json) in new Dictionary<string, string>
        {
            ["users/1"] = """{"name":"John","age":30}""", ["users/2"] = """{"name":"Stefanie","age":25}""", ["users/3"] = """{"name":"Thomas","age":25}""",
        })
            await _database.PutAsync(id, System.Text.Encoding.UTF8.GetBytes(json[..^1] + ",\"@metadata\":{\"@collection\":\"Users\"}}"));
        await _database.Indexes.PutAsync(new IndexDefinition
        {
            Name = "Users/ByName",
            Maps = ["from u in docs.Users select new { u.name, u.age, u.companyId }"],
            Fields = new Dictionary<string, IndexFieldDefinition> { ["name"] = new() { Indexing = Pipeline.Indexing.FieldIndexing.Search, Stored = true, Suggestions = true } },
        });
        await _database.Indexes.WaitAsync("Users/ByName", timeout: TimeSpan.FromMinutes(1));
    }

    public async Task DisposeAsync() => await _server.DisposeAsync();

    public void Dispose() => _http.Dispose();

    [Fact]
    public async Task Facets_of_numbers_are_counted()
    {
        var result = await _database.QueryAsync("from index 'Users/ByName' select facet(age)");
        Assert.Contains("\"Range\":\"25\",\"Count\":2", result.Items[0].ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Options_are_the_same_in_any_case()
    {
        var result = await _database.QueryAsync(new QueryRequest("from index 'Users/ByName' select suggest(name, 'johne', '{\"accuracy\":0.4,\"pageSize\":5}')"));
        Assert.Contains("john", result.Items[0].ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Terms_of_an_index_are_listed_from_one_on()
    {
        Assert.Equal(["john", "stefanie", "thomas"], await TermsAsync("name=Users/ByName&field=name"));
        Assert.Equal(["stefanie"], await TermsAsync("name=Users/ByName&field=name&fromValue=john&pageSize=1"));
        Assert.Equal(HttpStatusCode.NotFound, (await _http.GetAsync("/databases/db/indexes/terms?name=None&field=name")).StatusCode);
        Assert.Equal(HttpStatusCode.BadRequest, (await _http.GetAsync("/databases/db/indexes/terms?name=Users/ByName&field=none")).StatusCode);

        async Task<IEnumerable<string?>> TermsAsync(string query) =>
            (await _http.GetFromJsonAsync<JsonElement>("/databases/db/indexes/terms?" + query)).GetProperty("Terms").EnumerateArray().Select(t => t.GetString());
    }

    [Fact]
    public async Task Locks_and_priorities_of_indexes_are_set()
    {
        Assert.Equal(HttpStatusCode.NoContent, (await _http.PostAsJsonAsync("/databases/db/indexes/set-lock", new { IndexNames = new[] { "Users/ByName" }, Mode = "LockedError" }, Plain)).StatusCode);
        Assert.Equal(HttpStatusCode.NoContent, (await _http.PostAsJsonAsync("/databases/db/indexes/set-priority", new { IndexNames = new[] { "Users/ByName" }, Priority = "High" }, Plain)).StatusCode);
        var definition = _database.Indexes.Get("Users/ByName")!.Definition;
        Assert.Equal((IndexLockMode.LockedError, IndexPriority.High), (definition.LockMode, definition.Priority));
        Assert.Equal(HttpStatusCode.BadRequest, (await _http.PostAsJsonAsync("/databases/db/indexes/set-lock", new { IndexNames = new[] { "Users/ByName" }, Mode = "Shut" }, Plain)).StatusCode);
    }

    [Fact]
    public async Task Identities_are_seeded_and_listed()
    {
        await _http.PostAsync("/databases/db/identity/next?name=Invoices|", null);
        Assert.Equal(100, await SeedAsync("100"));
        Assert.Equal(100, await SeedAsync("7"));
        Assert.Equal(7, await SeedAsync("7&force=true"));
        var all = await _http.GetFromJsonAsync<Dictionary<string, long>>("/databases/db/debug/identities");
        Assert.Equal(new Dictionary<string, long> { ["invoices|"] = 7 }, all);

        async Task<long> SeedAsync(string value) =>
            (await (await _http.PostAsync($"/databases/db/identity/seed?name=invoices|&value={value}", null)).Content.ReadFromJsonAsync<JsonElement>()).GetProperty("NewSeedValue").GetInt64();
    }

    [Fact]
    public async Task An_index_that_would_write_documents_is_refused()
    {
        var answer = await _http.PutAsync("/databases/db/admin/indexes", new StringContent(
            """{"Indexes":[{"Name":"Sums","Maps":["from u in docs.Users select new { u.age, N = 1 }"],"Reduce":"from r in results group r by r.age into g select new { age = g.Key, N = g.Sum(x => x.N) }","OutputReduceToCollection":"Sums"}]}"""));
        Assert.Equal(HttpStatusCode.NotImplemented, answer.StatusCode);
        Assert.Null(_database.Indexes.Get("Sums"));
    }

    [Theory]
    [InlineData("POST", "/admin/replication/conflicts/solver")]
    [InlineData("POST", "/admin/compact")]
    [InlineData("GET", "/databases/db/counters?docId=users/1")]
    public async Task What_is_not_there_is_refused_by_name(string method, string path)
    {
        using var request = new HttpRequestMessage(new HttpMethod(method), path) { Content = method == "POST" ? new StringContent("{}") : null };
        var answer = await _http.SendAsync(request);
        Assert.Equal(HttpStatusCode.NotImplemented, answer.StatusCode);
        Assert.Contains("is not supported by this server", await answer.Content.ReadAsStringAsync(), StringComparison.Ordinal);
    }
}
