using System.Net;
using System.Net.Http.Json;
using System.Text;
using System.Text.Json;
using Pipeline.Database;
using Pipeline.Database.Indexes;
using Pipeline.Documents.Events;
using Pipeline.Server;
using Pipeline.Server.Hosting;
using Pipeline.Server.Settings;
using Xunit;

namespace Pipeline.Client.Tests.Server;

/// <summary>Definitions that are tried, groups down to their documents, and event streams as JSON.</summary>
public sealed class IndexTrialTests : IAsyncLifetime, IDisposable
{
    private const string Map = "from o in docs.Orders select new { o.City, Count = 1 }";
    private const string Reduce =
        "from r in results group r by r.City into g select new { City = g.Key, Count = g.Sum(x => x.Count) }";

    private PipelineServer _server = null!;
    private HttpClient _http = null!;
    private DocumentDatabase _db = null!;

    public async Task InitializeAsync()
    {
        _server = await PipelineServer.StartAsync(new ServerOptions { Url = new Uri("http://127.0.0.1:0") });
        _db = await _server.CreateDatabaseAsync("shop");
        _http = new HttpClient { BaseAddress = new Uri(_server.Url, "/databases/shop/") };
        for (var i = 0; i < 10; i++)
        {
            await _db.PutAsync(
                $"orders/{i}",
                Encoding.UTF8.GetBytes(
                    $$$"""{"City":"{{{(i < 4 ? "Rome" : "Oslo")}}}","Total":{{{i}}},"@metadata":{"@collection":"Orders"}}"""
                )
            );
        }
    }

    public async Task DisposeAsync() => await _server.DisposeAsync();

    public void Dispose() => _http.Dispose();

    [Fact]
    public async Task A_definition_is_tried_on_the_newest_documents_and_stores_nothing()
    {
        var trial = await TryAsync(Map, null, sample: 3);
        Assert.Equal(["orders/9", "orders/8", "orders/7"], Ids(trial.GetProperty("Documents")));
        Assert.Equal(
            """[{"City":"Oslo","Count":1}]""",
            trial.GetProperty("Documents")[0].GetProperty("Entries").GetRawText()
        );
        Assert.Equal(["City", "Count"], trial.GetProperty("Fields").EnumerateArray().Select(f => f.GetString()));
        Assert.Empty(_db.Indexes.List());
    }

    [Fact]
    public async Task Groups_of_chosen_documents_are_reduced()
    {
        var trial = await TryAsync(Map, Reduce, "orders/0", "orders/1", "orders/9", "orders/missing");
        var groups = trial.GetProperty("Groups").EnumerateArray().ToList();
        Assert.Equal(
            ["""[{"City":"Rome","Count":2}]""", """[{"City":"Oslo","Count":1}]"""],
            groups.Select(g => g.GetProperty("Results").GetRawText())
        );
        Assert.Equal("""["orders/0","orders/1"]""", groups[0].GetProperty("Documents").GetRawText());
    }

    [Fact]
    public async Task Faults_have_their_place_and_failing_documents_their_error()
    {
        var fault = (await TryAsync("from o in docs.Orders select new { dok.City }", null))
            .GetProperty("Faults")
            .EnumerateArray()
            .Single();
        Assert.Equal((1, 36), (fault.GetProperty("Line").GetInt32(), fault.GetProperty("Column").GetInt32()));
        var failed = (
            await TryAsync("from o in docs.Orders select new { X = 1 / (int)(o.Total - 7) }", null, "orders/7")
        ).GetProperty("Documents")[0];
        Assert.Contains(
            "divide",
            failed.GetProperty("Error").GetProperty("Message").GetString(),
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task A_group_leads_to_its_documents_and_large_groups_to_their_parts()
    {
        await _db.Indexes.PutAsync(
            new IndexDefinition
            {
                Name = "Cities",
                Maps = [Map],
                Reduce = Reduce,
            }
        );
        await _db.Indexes.WaitAsync("Cities");
        var groups = (await GetAsync("indexes/groups?name=Cities")).GetProperty("Results").EnumerateArray().ToList();
        var rome = groups.Single(g => g.GetProperty("Result").GetProperty("City").GetString() == "Rome");
        Assert.Equal(4, rome.GetProperty("Result").GetProperty("Count").GetInt32());
        var tree = await GetAsync($"indexes/groups?name=Cities&group={rome.GetProperty("Key").GetString()}");
        Assert.Equal(["orders/3", "orders/2", "orders/1", "orders/0"], Ids(tree.GetProperty("Documents")));
        Assert.True(tree.GetProperty("IsComplete").GetBoolean());
        Assert.Empty(tree.GetProperty("Parts").EnumerateArray());

        for (var i = 0; i < 3_000; i += 500)
        {
            await _db.WriteAsync(t =>
            {
                for (var n = i; n < i + 500; n++)
                {
                    t.Put(
                        $"orders/many/{n}",
                        Encoding.UTF8.GetBytes("""{"City":"Bonn","@metadata":{"@collection":"Orders"}}""")
                    );
                }
            });
        }

        await _db.Indexes.WaitAsync("Cities");
        groups = [.. (await GetAsync("indexes/groups?name=Cities")).GetProperty("Results").EnumerateArray()];
        var bonn = groups.Single(g => g.GetProperty("Result").GetProperty("City").GetString() == "Bonn");
        tree = await GetAsync($"indexes/groups?name=Cities&group={bonn.GetProperty("Key").GetString()}");
        Assert.Equal(200, tree.GetProperty("Documents").GetArrayLength());
        Assert.False(tree.GetProperty("IsComplete").GetBoolean());
        var parts = tree.GetProperty("Parts").EnumerateArray().ToList();
        Assert.Equal(3_000, parts[0].GetProperty("Outputs").GetInt64());
        Assert.Equal(
            3_000,
            parts.Where(p => p.GetProperty("Depth").GetInt32() == 1).Sum(p => p.GetProperty("Outputs").GetInt64())
        );
        Assert.NotEmpty(
            (await GetAsync("indexes/performance?name=Cities"))
                .GetProperty("Results")[0]
                .GetProperty("Performance")
                .EnumerateArray()
        );
    }

    [Fact]
    public async Task A_stream_has_its_events_as_JSON_or_in_base_64_and_its_snapshot()
    {
        await _db.Events.AppendAsync(
            "order-1",
            [
                new EventData { SequenceNumber = 1, Payload = """{"N":1.50}"""u8.ToArray() },
                new EventData { SequenceNumber = 2, Payload = "no json"u8.ToArray() },
            ]
        );
        Assert.Equal(
            """[{"Number":1,"Id":"order-1","Highest":2}]""",
            (await GetAsync("events/streams")).GetProperty("Streams").GetRawText()
        );
        var events = (await GetAsync("events/stream?id=order-1")).GetProperty("Events");
        Assert.Equal("""{"N":1.50}""", events[0].GetProperty("Json").GetRawText());
        Assert.Equal("no json"u8.ToArray(), events[1].GetProperty("Base64").GetBytesFromBase64());
        Assert.Equal(
            2,
            (await GetAsync("events/stream?id=order-1&newest=true&pageSize=1"))
                .GetProperty("Events")[0]
                .GetProperty("SequenceNumber")
                .GetInt64()
        );
    }

    private static IEnumerable<string?> Ids(JsonElement documents) =>
        documents.EnumerateArray().Select(d => d.GetProperty("Id").GetString());

    private async Task<JsonElement> GetAsync(string path) => await _http.GetFromJsonAsync<JsonElement>(path);

    private Task<JsonElement> TryAsync(string map, string? reduce, params string[] ids) =>
        TryAsync(map, reduce, 20, ids);

    private async Task<JsonElement> TryAsync(string map, string? reduce, int sample, params string[] ids)
    {
        using var body = JsonContent.Create(
            new
            {
                Index = new
                {
                    Name = "Tried",
                    Maps = new[] { map },
                    Reduce = reduce,
                },
                Ids = ids,
                Sample = sample,
            },
            options: new JsonSerializerOptions()
        );
        using var answer = await _http.PostAsync(new Uri("admin/indexes/try", UriKind.Relative), body);
        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        return await answer.Content.ReadFromJsonAsync<JsonElement>();
    }
}
