using System.Globalization;
using System.Net;
using System.Net.Http.Json;
using System.Text;
using System.Text.Json;
using Pipeline.Database;
using Pipeline.Database.Indexes;
using Pipeline.Database.Queries;
using Pipeline.Database.Queries.Language;
using Pipeline.Documents;
using Pipeline.Json;
using Pipeline.Server;
using Xunit;

namespace Pipeline.Client.Tests.Server;

/// <summary>Parts of RavenDB clients' queries other than fields and values.</summary>
public sealed class ClientQueryTests : IAsyncLifetime, IDisposable
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
        await PutAsync("users/1", "Users", """{"name":"Zeus","age":30,"tags":["a","b"],"lat":35.1,"lng":-107.1}""");
        await PutAsync("users/2", "Users", """{"name":"Jerry","age":25,"tags":["a"],"lat":35.2,"lng":-107.0}""");
        await PutAsync("users/3", "Users", """{"name":"Ann","age":25,"boss":"users/1","lat":35.5,"lng":-106.5}""");
        await _database.Indexes.PutAsync(
            new IndexDefinition
            {
                Name = "Users/ByAge",
                Maps = ["from u in docs.Users select new { u.age, u.boss, u.name }"],
                Fields = new Dictionary<string, IndexFieldDefinition> { ["age"] = new() { Stored = true } },
            }
        );
        await _database.Indexes.PutAsync(
            new IndexDefinition
            {
                Name = "Tags",
                Maps = ["from u in docs.Users from t in u.tags select new { Tag = t }"],
            }
        );
        foreach (var index in (string[])["Users/ByAge", "Tags"])
            await _database.Indexes.WaitAsync(index, timeout: TimeSpan.FromMinutes(1));
    }

    public async Task DisposeAsync() => await _server.DisposeAsync();

    public void Dispose() => _http.Dispose();

    [Fact]
    public async Task A_query_waits_as_its_client_asks()
    {
        const string query = "from index 'Users/ByAge' where age = 99";
        const string address = "/databases/db/queries?query=from%20index%20'Users/ByAge'%20where%20age%20=%2099";
        await _database.Indexes.SetStateAsync("Users/ByAge", IndexState.Paused);
        await PutAsync("users/4", "Users", """{"name":"Old","age":99}""");
        var position = _database.LastPosition;
        foreach (
            var asks in (string[])
                [
                    "",
                    ",\"WaitForNonStaleResults\":false",
                    $",\"WaitForNonStaleResultsTimeout\":\"00:00:00.0010000\",\"WaitFor\":{position}",
                ]
        )
        {
            Assert.Equal((true, 0), await PostAsync($$"""{"Query":"{{query}}"{{asks}}}"""));
        }

        Assert.Equal((true, 0), Outcome(await _http.GetStringAsync(address)));
        Task<(bool, long)>[] waiting =
        [
            PostAsync($$"""{"Query":"{{query}}","WaitForNonStaleResults":true}"""),
            PostAsync($$"""{"Query":"{{query}}","WaitFor":{{position}}}"""),
            GetAsync("&waitForNonStaleResults=true&waitForNonStaleResultsTimeout=00:00:30"),
            GetAsync($"&waitFor={position}"),
        ];
        await _database.Indexes.SetStateAsync("Users/ByAge", IndexState.Normal);
        foreach (var one in waiting)
            Assert.Equal((false, 1L), await one);
        Assert.Equal(HttpStatusCode.BadRequest, (await _http.GetAsync(address + "&waitFor=soon")).StatusCode);

        async Task<(bool, long)> PostAsync(string body) =>
            Outcome(
                await (
                    await _http.PostAsync("/databases/db/queries", new StringContent(body))
                ).Content.ReadAsStringAsync()
            );

        async Task<(bool, long)> GetAsync(string more) => Outcome(await _http.GetStringAsync(address + more));

        static (bool Stale, long Total) Outcome(string answer)
        {
            var root = JsonDocument.Parse(answer).RootElement;
            return (root.GetProperty("IsStale").GetBoolean(), root.GetProperty("TotalResults").GetInt64());
        }
    }

    [Theory]
    [InlineData("staleTimeout=00:00:00.0010000", "Faulted")]
    [InlineData("allowStale=true", "Completed")]
    public async Task A_deletion_by_query_fails_on_a_stale_index_unless_that_is_allowed(string asks, string status)
    {
        await _database.Indexes.SetStateAsync("Users/ByAge", IndexState.Paused);
        await PutAsync("users/4", "Users", """{"name":"Old","age":99}""");
        using var request = new HttpRequestMessage(HttpMethod.Delete, "/databases/db/queries?operationId=5&" + asks)
        {
            Content = new StringContent("""{"Query":{"Query":"from index 'Users/ByAge' where age = 99"}}"""),
        };
        (await _http.SendAsync(request)).EnsureSuccessStatusCode();
        string state;
        do state = await _http.GetStringAsync("/databases/db/operations/state?id=5");
        while (state.Contains("InProgress", StringComparison.Ordinal));
        Assert.Contains($"\"Status\":\"{status}\"", state, StringComparison.Ordinal);
        Assert.Equal(
            status == "Faulted",
            state.Contains("The index 'Users/ByAge' is 1 changes behind", StringComparison.Ordinal)
        );
    }

    [Theory]
    [InlineData("from Users where name = cmpxchg('Hera')", "users/1")]
    [InlineData("from Users where name != cmpxchg('Hera') order by name", "users/3 users/2")]
    [InlineData("from Users where name in (cmpxchg('Hera'), 'Ann') order by name", "users/3 users/1")]
    [InlineData("from Users where age < cmpxchg('Limit') order by name", "users/3 users/2")]
    [InlineData("from Users where id() = cmpxchg('First')", "users/1")]
    [InlineData("from Users where name = cmpxchg('None')", "")]
    public async Task Conditions_compare_with_compare_exchange_values(string query, string expected)
    {
        foreach (
            var (key, value) in ((string, string)[])
                [("Hera", """{"Object":"Zeus"}"""), ("Limit", """{"Object":30}"""), ("First", "\"users/1\"")]
        )
        {
            await ExchangeAsync(key, value);
        }

        var result = await _database.QueryAsync(query);
        Assert.Equal(expected, string.Join(' ', result.Items.Select(i => i.Id)));
    }

    [Fact]
    public async Task A_result_is_known_until_the_compare_exchange_values_change()
    {
        foreach (
            var text in (string[])
                [
                    "from Users where name = cmpxchg('Hera')",
                    "from Users where id() = cmpxchg('Hera')",
                    "from Users include cmpxchg(name)",
                ]
        )
        {
            await ExchangeAsync("Hera", "\"Zeus\"");
            var first = await _database.QueryAsync(text);
            Assert.True(
                (await _database.QueryAsync(new QueryRequest(text) { IfNoneMatch = first.ETag })).IsNotModified
            );
            await ExchangeAsync("Hera", "\"Jerry\"");
            Assert.False(
                (await _database.QueryAsync(new QueryRequest(text) { IfNoneMatch = first.ETag })).IsNotModified
            );
        }
    }

    [Fact]
    public async Task A_key_that_is_too_long_has_the_clients_error()
    {
        var answer = await _http.PutAsync(
            $"/databases/db/cmpxchg?key={new string('e', 513)}&index=0",
            new StringContent("""{"Object":1}""")
        );
        Assert.Equal(
            "Raven.Client.Exceptions.CompareExchangeKeyTooBigException",
            (await answer.Content.ReadFromJsonAsync<JsonElement>()).GetProperty("Type").GetString()
        );
    }

    [Fact]
    public async Task Facets_are_read_from_a_document()
    {
        await PutAsync(
            "facets/users",
            "FacetSetups",
            """
            {"facets":[{"fieldName":"age","options":{"termSortMode":"CountDesc","pageSize":1,"includeRemainingTerms":true}}],
             "rangeFacets":[{"ranges":["age < 30","age >= 30"],"displayFieldName":"Years","aggregations":{"Sum":[{"Name":"age"}],"max":"age"}}]}
            """
        );
        var result = await _database.QueryAsync(
            new QueryRequest("from index 'Users/ByAge' select facet(id($p0))")
            {
                Parameters = new QueryParameters(new Dictionary<string, object?> { ["p0"] = "facets/users" }),
            }
        );
        Assert.Equal(
            [
                """{"Name":"age","Values":[{"Range":"25","Count":2}],"RemainingTerms":["30"],"RemainingTermsCount":1,"RemainingHits":1}""",
                """{"Name":"Years","Values":[{"Range":"age < 30","Count":2,"Name":"age","Sum":50,"Max":25},{"Range":"age >= 30","Count":1,"Name":"age","Sum":30,"Max":30}],"RemainingTerms":[],"RemainingTermsCount":0,"RemainingHits":0}""",
            ],
            result.Items.Select(i => i.ToString().Replace("50.0", "50", StringComparison.Ordinal))
        );
        await PutAsync("facets/users", "FacetSetups", """{"Facets":[{"FieldName":"age"}]}""");
        Assert.False(
            (
                await _database.QueryAsync(
                    new QueryRequest("from index 'Users/ByAge' select facet(id('facets/users'))")
                    {
                        IfNoneMatch = result.ETag,
                    }
                )
            ).IsNotModified
        );

        var missing = await Assert.ThrowsAsync<InvalidQueryException>(() =>
            _database.QueryAsync("from index 'Users/ByAge' select facet(id('facets/none'))").AsTask()
        );
        Assert.Contains("there is no document 'facets/none'", missing.Message, StringComparison.Ordinal);
        await PutAsync(
            "facets/none",
            "FacetSetups",
            """{"Facets":[{"FieldName":"age","Aggregations":{"Middle":"age"}}]}"""
        );
        var wrong = await Assert.ThrowsAsync<InvalidQueryException>(() =>
            _database.QueryAsync("from index 'Users/ByAge' select facet(id('facets/none'))").AsTask()
        );
        Assert.Contains("there is no aggregation 'Middle'", wrong.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Documents_are_included_by_the_values_of_a_facet()
    {
        var result = await _database.QueryAsync("from index 'Users/ByAge' select facet(boss) include boss");
        Assert.Equal("users/1", Assert.Single(result.Includes).Value!.Id);
    }

    [Fact]
    public async Task Groups_by_two_values_of_one_list_take_them_of_the_same_element()
    {
        await PutAsync(
            "orders/1",
            "Orders",
            """{"lines":[{"product":"a","quantity":1},{"product":"b","quantity":2}]}"""
        );
        await PutAsync("orders/2", "Orders", """{"lines":[{"product":"b","quantity":3}]}""");
        var result = await _database.QueryAsync(
            new QueryRequest(
                "from Orders group by lines[].product, lines[].quantity order by lines[].quantity select lines[].product as p, lines[].quantity as q, count() as n"
            )
            {
                Wait = new(TimeSpan.FromMinutes(1)),
            }
        );
        Assert.Equal(
            ["""{"p":"a","q":1,"n":1}""", """{"p":"b","q":2,"n":1}""", """{"p":"b","q":3,"n":1}"""],
            result.Items.Select(i => i.ToString())
        );
    }

    [Theory]
    [InlineData("25", "users/3 users/2 users/1")]
    [InlineData("1", "users/3 users/2 users/1")]
    [InlineData("1000", "users/3 users/2 users/1")]
    public async Task Distances_are_rounded_before_the_next_order_counts(string roundTo, string expected)
    {
        var result = await _database.QueryAsync(
            new QueryRequest(
                $"from Users order by spatial.distance(spatial.point(lat, lng), spatial.point(35.1, -106.3), {roundTo}), name"
            )
            {
                Wait = new(TimeSpan.FromMinutes(1)),
            }
        );
        Assert.Equal(expected, string.Join(' ', result.Items.Select(i => i.Id)));
        var other = await _database.QueryAsync(
            $"from Users order by spatial.distance(spatial.point(lat, lng), spatial.point(35.1, -106.3), {roundTo}), name desc"
        );
        Assert.Equal(
            roundTo switch
            {
                "1" => "users/3 users/2 users/1",
                "25" => "users/3 users/1 users/2",
                _ => "users/1 users/2 users/3",
            },
            string.Join(' ', other.Items.Select(i => i.Id))
        );
    }

    [Fact]
    public async Task A_document_is_given_for_each_of_its_entries_on_demand()
    {
        Assert.Equal(2, await CountAsync(false));
        Assert.Equal(3, await CountAsync(true));

        async Task<int> CountAsync(bool skips) =>
            (await AskAsync(new { Query = "from index 'Tags'", SkipDuplicateChecking = skips }))
                .GetProperty("Results")
                .GetArrayLength();
    }

    [Theory]
    [InlineData("Default", """{"age":25,"name":"Ann","none":null}""")]
    [InlineData("FromIndex", """{"age":25,"name":null,"none":null}""")]
    [InlineData("FromDocument", """{"age":25,"name":"Ann","none":null}""")]
    [InlineData("FromIndexOrThrow", null)]
    [InlineData("FromDocumentOrThrow", null)]
    public async Task Fields_are_taken_from_where_the_client_wants(string behavior, string? expected)
    {
        var answer = await AskAsync(
            new
            {
                Query = "from index 'Users/ByAge' where name = 'Ann' select age, name, none",
                ProjectionBehavior = behavior,
            }
        );
        if (expected is null)
            Assert.Equal("Raven.Client.Exceptions.InvalidQueryException", answer.GetProperty("Type").GetString());
        else
            Assert.EndsWith(expected[1..], answer.GetProperty("Results")[0].GetRawText(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_projection_from_nowhere_is_refused() =>
        Assert.Equal(
            "Raven.Client.Exceptions.BadRequestException",
            (await AskAsync(new { Query = "from Users", ProjectionBehavior = "FromMemory" }))
                .GetProperty("Type")
                .GetString()
        );

    private async Task ExchangeAsync(string key, string json)
    {
        var value = BinaryJson.Parse(Encoding.UTF8.GetBytes(json));
        await _database.WriteAsync(t => t.PutCompareExchange(key, value, t.GetCompareExchange(key)?.Index ?? 0));
    }

    private Task<PutResult> PutAsync(string id, string collection, string json) =>
        _database.PutAsync(
            id,
            Encoding.UTF8.GetBytes(
                json.TrimEnd()[..^1]
                    + string.Create(
                        CultureInfo.InvariantCulture,
                        $",\"@metadata\":{{\"@collection\":\"{collection}\"}}}}"
                    )
            )
        );

    private async Task<JsonElement> AskAsync(object body)
    {
        var answer = await _http.PostAsJsonAsync("/databases/db/queries", body, Plain);
        Assert.True(answer.StatusCode is HttpStatusCode.OK or HttpStatusCode.BadRequest, answer.StatusCode.ToString());
        return await answer.Content.ReadFromJsonAsync<JsonElement>();
    }
}
