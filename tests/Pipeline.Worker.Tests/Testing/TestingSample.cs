using Pipeline.Etl.Connectors;
using Pipeline.Testing;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Worker.Tests.Testing;

/// <summary>The code shown in worker/Pipeline.Testing/README.md.</summary>
public sealed class TestingSample
{
    private const string Configuration = """
        version: 1
        database: { name: shop, path: ./data }
        connections: { rabbit: { rabbitmq: { uri: "amqp://broker.example" } } }
        etl:
          - { name: big-orders, from: [Orders], to: rabbit, transform: "send(\"big-orders\", doc, key: doc.Company);" }
        """;

    [Fact]
    public async Task An_order_is_sent_by_its_company()
    {
        using var folder = new TestFolder();
        folder.Write("pipeline.yaml", Configuration);
        ReadOnlyMemory<byte> order = """{"Company":"companies/1","@metadata":{"@collection":"Orders"}}"""u8.ToArray();
        // begin-snippet: testing
        await using var server = await PipelineTestServer.StartAsync(
            new PipelineTestOptions { ConfigurationFile = folder["pipeline.yaml"] }
        );
        await server.Database.PutAsync("orders/1", order); // or any RavenDB client at server.Url
        var messages = await server.Etl("big-orders").DrainedAsync();
        Assert.Equal("companies/1", Assert.Single(messages).Key);
        // end-snippet
        // begin-snippet: stepping
        var task = server.Etl("big-orders");
        await task.PauseAsync();
        await server.Database.PutAsync("orders/2", order);
        await server.Database.PutAsync("orders/2", order); // the task will see this write only
        Assert.Single((await task.StepAsync())!);
        Assert.Null(await task.StepAsync()); // nothing is left
        task.Resume();
        // end-snippet
    }
}
