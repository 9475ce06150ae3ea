using System.Net.Http.Json;
using System.Text;
using System.Text.Json;
using Pipeline.Database.Queries;
using Pipeline.Documents;
using Pipeline.Etl.Connectors;
using Pipeline.Testing;
using Pipeline.TestKit.Time;
using Pipeline.Yaml;
using Xunit;

namespace Pipeline.Worker.Tests.Testing;

/// <summary>The server that users' tests start.</summary>
public sealed class PipelineTestServerTests
{
    private const string Configuration = """
        version: 1
        database: { name: shop, path: /not/used }
        server: { url: "http://127.0.0.1:8080" }
        connections: { broker: { kafka: { bootstrapServers: "${BROKERS}" } } }
        indexes: [{ name: Orders/ByTotal, maps: ["from o in docs.Orders select new { o.Total }"] }]
        etl:
          - { name: big, from: [Orders], to: broker, transform: "if (doc.Total > 10) send(\"orders\", new { Id = id, doc.Total }, key: id);" }
          - { name: broken, from: [Orders], to: broker, onError: stop, transform: "throw new InvalidOperationException(\"as it should\");" }
        """;

    [Fact]
    public async Task A_production_configuration_runs_without_its_broker_and_its_messages_are_captured()
    {
        await using var server = await PipelineTestServer.StartAsync(
            new PipelineTestOptions
            {
                Configuration = Configuration,
                Variables = new FixedVariables(new Dictionary<string, string> { ["BROKERS"] = "nowhere:9092" }),
            }
        );
        using var http = new HttpClient { BaseAddress = server.Url };
        (await http.PutAsync("/databases/shop/docs?id=orders/1", Order(20))).EnsureSuccessStatusCode();
        await server.Database.PutAsync("orders/2", """{"Total":5,"@metadata":{"@collection":"Orders"}}"""u8.ToArray());
        await server.Database.PutAsync("orders/3", """{"Total":30,"@metadata":{"@collection":"Orders"}}"""u8.ToArray());

        var messages = await server.Etl("big").DrainedAsync();

        Assert.Equal(
            ["""orders:orders/1 {"Id":"orders/1","Total":20}""", """orders:orders/3 {"Id":"orders/3","Total":30}"""],
            messages.Select(m => $"{m.Destination}:{m.Key} {Encoding.UTF8.GetString(m.Body.Span)}")
        );
        await server.Database.PutAsync("orders/2", """{"Total":50,"@metadata":{"@collection":"Orders"}}"""u8.ToArray());
        Assert.Equal(3, (await server.Etl("big").DrainedAsync()).Count);
        Assert.Contains(
            "as it should",
            (await Assert.ThrowsAsync<EtlStoppedException>(() => server.Etl("broken").DrainedAsync())).Message,
            StringComparison.Ordinal
        );
        Assert.Contains(
            "there are: big, broken",
            Assert.Throws<ArgumentException>(() => server.Etl("bigg")).Message,
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task Queries_show_what_was_written_without_waiting_for_indexes()
    {
        await using var server = await PipelineTestServer.StartAsync(
            new PipelineTestOptions
            {
                Configuration = Configuration,
                Variables = new FixedVariables(new Dictionary<string, string> { ["BROKERS"] = "nowhere:9092" }),
            }
        );
        using var http = new HttpClient { BaseAddress = server.Url };
        for (var i = 1; i <= 50; i++)
        {
            await server.Database.PutAsync(
                $"orders/{i}",
                Encoding.UTF8.GetBytes($$$"""{"Total":{{{i}}},"@metadata":{"@collection":"Orders"}}""")
            );
            var result = await server.Database.QueryAsync(
                new QueryRequest("from index 'Orders/ByTotal' where Total > 0")
            );
            Assert.Equal(i, result.Total);
        }

        var answer = await http.PostAsync(
            "/databases/shop/queries",
            new StringContent("""{"Query":"from Orders where Total between 10 and 19"}""")
        );
        Assert.Equal(
            10,
            (await answer.Content.ReadFromJsonAsync<JsonElement>()).GetProperty("TotalResults").GetInt32()
        );
    }

    [Fact]
    public async Task Many_run_side_by_side_and_the_clock_is_the_tests()
    {
        var time = new ManualTimeProvider();
        var servers = await Task.WhenAll(
            Enumerable.Range(0, 8).Select(_ => PipelineTestServer.StartAsync(new PipelineTestOptions { Time = time }))
        );
        Assert.Equal(8, servers.Select(s => s.Url.Port).Distinct().Count());
        await Task.WhenAll(
            servers.Select((s, i) => s.Database.PutAsync("only", Encoding.UTF8.GetBytes($$"""{"N":{{i}}}""")))
        );
        for (var i = 0; i < servers.Length; i++)
        {
            using (var snapshot = servers[i].Database.OpenSnapshot())
            {
                Assert.Equal($$"""{"N":{{i}}}""", snapshot.Find("only")!.Body.ToString());
                Assert.Equal(time.GetUtcNow(), snapshot.Find("only")!.LastModified);
            }

            await servers[i].DisposeAsync();
        }
    }

    [Fact]
    public async Task On_disk_it_leaves_nothing_behind_and_faults_of_the_configuration_are_told()
    {
        string folder;
        await using (var server = await PipelineTestServer.StartAsync(new PipelineTestOptions { OnDisk = true }))
        {
            folder = server.DataFolder!;
            await server.Database.PutAsync("a", "{}"u8.ToArray());
            Assert.NotEmpty(Directory.GetFiles(folder));
        }

        Assert.False(Directory.Exists(folder));
        var error = await Assert.ThrowsAsync<ConfigurationException>(() =>
            PipelineTestServer.StartAsync(
                new PipelineTestOptions { Configuration = "version: 1\ndatabase: { name: a, path: b }\nelt: []" }
            )
        );
        Assert.Contains("elt", error.Message, StringComparison.Ordinal);
    }

    private static JsonContent Order(int total) =>
        JsonContent.Create(
            new Dictionary<string, object>
            {
                ["Total"] = total,
                ["@metadata"] = new Dictionary<string, string> { ["@collection"] = "Orders" },
            }
        );
}
