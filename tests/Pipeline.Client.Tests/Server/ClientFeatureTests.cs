using System.Net;
using System.Net.Http.Json;
using System.Text.Json;
using Pipeline.Database;
using Pipeline.Database.Indexes;
using Pipeline.Database.Queries;
using Pipeline.Documents;
using Pipeline.Server;
using Xunit;

namespace Pipeline.Client.Tests.Server;

/// <summary>Single requests of clients whose answers the client's own suite does not look into.</summary>
public sealed partial class ClientFeatureTests : IAsyncLifetime, IDisposable
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
        foreach (
            var (id, json) in new Dictionary<string, string>
            {
                ["users/1"] = """{"name":"John","age":30}""",
                ["users/2"] = """{"name":"Stefanie","age":25}""",
                ["users/3"] = """{"name":"Thomas","age":25}""",
            }
        )
        {
            await _database.PutAsync(
                id,
                System.Text.Encoding.UTF8.GetBytes(json[..^1] + ",\"@metadata\":{\"@collection\":\"Users\"}}")
            );
        }

        await _database.Indexes.PutAsync(
            new IndexDefinition
            {
                Name = "Users/ByName",
                Maps = ["from u in docs.Users select new { u.name, u.age, u.companyId }"],
                Fields = new Dictionary<string, IndexFieldDefinition>
                {
                    ["name"] = new()
                    {
                        Indexing = Pipeline.Indexing.TermForm.Search,
                        Stored = true,
                        Suggestions = true,
                    },
                },
            }
        );
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
        var result = await _database.QueryAsync(
            new QueryRequest(
                "from index 'Users/ByName' select suggest(name, 'johne', '{\"accuracy\":0.4,\"pageSize\":5}')"
            )
        );
        Assert.Contains("john", result.Items[0].ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Facets_have_no_metadata()
    {
        var answer = await (
            await _http.PostAsJsonAsync(
                "/databases/db/queries",
                new { Query = "from index 'Users/ByName' select facet(age)" },
                Plain
            )
        ).Content.ReadFromJsonAsync<JsonElement>();
        Assert.Equal(
            ["Name", "Values", "RemainingTerms", "RemainingTermsCount", "RemainingHits"],
            answer.GetProperty("Results")[0].EnumerateObject().Select(p => p.Name)
        );
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
            (
                await (
                    await _http.PostAsync($"/databases/db/identity/seed?name=invoices|&value={value}", null)
                ).Content.ReadFromJsonAsync<JsonElement>()
            )
                .GetProperty("NewSeedValue")
                .GetInt64();
    }

    [Fact]
    public async Task The_separator_of_ids_is_what_clients_have_set()
    {
        Assert.Equal("Item/1 Item/0000000000000000005-A", await SaveAsync("Item|", "Item/"));
        await ConfigureAsync(":");
        Assert.Equal("Item:2 Item:0000000000000000007-A", await SaveAsync("Item|", "Item:"));
        Assert.Equal(HttpStatusCode.NotImplemented, (await ExchangeAsync("key:")).StatusCode);
        Assert.Equal(HttpStatusCode.Created, (await ExchangeAsync("key/")).StatusCode);
        Assert.Equal(HttpStatusCode.BadRequest, (await ConfigureAsync("|")).StatusCode);
        await ConfigureAsync(null);
        Assert.Equal("Item/3", await SaveAsync("Item|"));
        var refused = await ExchangeAsync("key|");
        Assert.Contains(
            "Document id key| cannot end with '|' or '/' as part of cluster transaction",
            await refused.Content.ReadAsStringAsync(),
            StringComparison.Ordinal
        );

        Task<HttpResponseMessage> ConfigureAsync(string? separator) =>
            _http.PutAsJsonAsync(
                "/databases/db/admin/configuration/client",
                new { IdentityPartsSeparator = separator },
                Plain
            );

        async Task<string> SaveAsync(params string[] ids)
        {
            var answer = await _http.PostAsJsonAsync(
                "/databases/db/bulk_docs",
                new
                {
                    Commands = ids.Select(id => new
                    {
                        Id = id,
                        Type = "PUT",
                        Document = new { A = 1 },
                    }),
                },
                Plain
            );
            return string.Join(
                ' ',
                (await answer.Content.ReadFromJsonAsync<JsonElement>())
                    .GetProperty("Results")
                    .EnumerateArray()
                    .Select(r => r.GetProperty("@id").GetString())
            );
        }

        Task<HttpResponseMessage> ExchangeAsync(string key) =>
            _http.PostAsJsonAsync(
                "/databases/db/bulk_docs",
                new
                {
                    TransactionMode = "ClusterWide",
                    Commands = new[]
                    {
                        new
                        {
                            Id = key,
                            Type = "CompareExchangePUT",
                            Document = new { A = 1 },
                            Index = 0,
                        },
                    },
                },
                Plain
            );
    }

    [Fact]
    public async Task Deleted_documents_with_versions_are_listed_and_attachments_are_those_of_the_current_version()
    {
        await _database.Revisions.ConfigureAsync(new RevisionConfiguration { Default = new RevisionPolicy() });
        await _http.PutAsync("/databases/db/attachments?id=users/1&name=a", new ByteArrayContent([1]));
        var former = await VersionAsync();
        await _http.PutAsync("/databases/db/attachments?id=users/1&name=a", new ByteArrayContent([2]));
        Assert.Equal([2], await (await AskAsync("Revision", await VersionAsync())).Content.ReadAsByteArrayAsync());
        Assert.Equal([2], await (await AskAsync("Document", null)).Content.ReadAsByteArrayAsync());
        Assert.Equal(HttpStatusCode.NotFound, (await AskAsync("Revision", former)).StatusCode);
        Assert.Equal(HttpStatusCode.BadRequest, (await AskAsync("Revision", null)).StatusCode);

        Assert.Empty(await BinAsync(""));
        foreach (var id in (string[])["users/1", "users/3"])
            await _http.DeleteAsync($"/databases/db/docs?id={id}");
        Assert.Equal(["users/1", "users/3"], await BinAsync(""));
        Assert.Equal(["users/3"], await BinAsync("?start=1&pageSize=1"));

        async Task<string> VersionAsync() =>
            (await _http.GetAsync("/databases/db/docs?id=users/1")).Headers.ETag!.Tag.Trim('"');

        Task<HttpResponseMessage> AskAsync(string type, string? vector) =>
            _http.PostAsJsonAsync(
                "/databases/db/attachments?id=users/1&name=a",
                new { Type = type, ChangeVector = vector },
                Plain
            );

        async Task<IEnumerable<string?>> BinAsync(string page) =>
            (await _http.GetFromJsonAsync<JsonElement>("/databases/db/revisions/bin" + page))
                .GetProperty("Results")
                .EnumerateArray()
                .Select(r => r.GetProperty("@metadata").GetProperty("@id").GetString());
    }

    [Fact]
    public async Task Clients_turn_expiration_and_refreshing_on_and_off()
    {
        Assert.Equal(HttpStatusCode.NotFound, (await _http.GetAsync("/databases/db/expiration/config")).StatusCode);
        await PostAsync("expiration", """{"Disabled":false,"DeleteFrequencyInSec":5}""");
        await PostAsync("refresh", """{"Disabled":false}""");
        Assert.Equal(
            new ExpirationConfiguration(TimeSpan.FromSeconds(5), TimeSpan.FromMinutes(1)),
            _database.Expiration.Configuration
        );
        Assert.Equal(
            """{"Disabled":false,"DeleteFrequencyInSec":5}""",
            await _http.GetStringAsync("/databases/db/expiration/config")
        );
        var record = await _http.GetFromJsonAsync<JsonElement>("/databases/db/admin/record");
        Assert.Equal(60, record.GetProperty("Refresh").GetProperty("RefreshFrequencyInSec").GetInt64());
        await _http.PutAsync(
            "/databases/db/docs?id=users/1",
            new StringContent(
                """{"name":"John","@metadata":{"@collection":"Users","@expires":"2001-01-01T00:00:00.0000000Z"}}"""
            )
        );
        await _database.Expiration.RunAsync();
        Assert.Equal(HttpStatusCode.NotFound, (await _http.GetAsync("/databases/db/docs?id=users/1")).StatusCode);

        await PostAsync("expiration", """{"Disabled":true,"DeleteFrequencyInSec":5}""");
        Assert.Equal(new ExpirationConfiguration(null, TimeSpan.FromMinutes(1)), _database.Expiration.Configuration);
        var answer = await _http.PostAsync(
            "/databases/db/admin/expiration/config",
            new StringContent("""{"DeleteFrequencyInSec":0}""")
        );
        Assert.Equal(HttpStatusCode.BadRequest, answer.StatusCode);
        Assert.Contains(
            "'DeleteFrequencyInSec' is 0",
            await answer.Content.ReadAsStringAsync(),
            StringComparison.Ordinal
        );

        async Task PostAsync(string what, string json) =>
            (
                await _http.PostAsync($"/databases/db/admin/{what}/config", new StringContent(json))
            ).EnsureSuccessStatusCode();
    }

    [Fact]
    public async Task A_database_is_made_with_expiration()
    {
        (
            await _http.PutAsync(
                "/admin/databases?name=other",
                new StringContent(
                    """{"DatabaseName":"other","Expiration":{"Disabled":false,"DeleteFrequencyInSec":7}}"""
                )
            )
        ).EnsureSuccessStatusCode();
        var record = await _http.GetFromJsonAsync<JsonElement>("/admin/databases?name=other");
        Assert.Equal(7, record.GetProperty("Expiration").GetProperty("DeleteFrequencyInSec").GetInt64());
        Assert.False(record.TryGetProperty("Refresh", out _));
    }

    [Theory]
    [InlineData("1", HttpStatusCode.NoContent)]
    [InlineData("", HttpStatusCode.BadRequest)]
    [InlineData("99999999999", HttpStatusCode.BadRequest)]
    public async Task An_answer_can_be_asked_for_late(string value, HttpStatusCode expected) =>
        Assert.Equal(expected, (await _http.GetAsync("/admin/test/delay?value=" + value)).StatusCode);

    [Fact]
    public async Task A_document_without_a_collection_names_none()
    {
        await _http.PutAsync("/databases/db/docs?id=a", new StringContent("{}"));
        Assert.DoesNotContain(
            "@collection",
            await _http.GetStringAsync("/databases/db/docs?id=a"),
            StringComparison.Ordinal
        );
        Assert.Equal(
            1,
            (await _http.GetFromJsonAsync<JsonElement>("/databases/db/collections/stats"))
                .GetProperty("Collections")
                .GetProperty("@empty")
                .GetInt64()
        );
    }

    [Theory]
    [InlineData("POST", "/admin/replication/conflicts/solver")]
    [InlineData("POST", "/admin/compact")]
    [InlineData("GET", "/databases/db/counters?docId=users/1")]
    public async Task What_is_not_there_is_refused_by_name(string method, string path)
    {
        using var request = new HttpRequestMessage(new HttpMethod(method), path)
        {
            Content = method == "POST" ? new StringContent("{}") : null,
        };
        var answer = await _http.SendAsync(request);
        Assert.Equal(HttpStatusCode.NotImplemented, answer.StatusCode);
        Assert.Contains(
            "is not supported by this server",
            await answer.Content.ReadAsStringAsync(),
            StringComparison.Ordinal
        );
    }
}
