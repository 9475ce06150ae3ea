using Pipeline.Etl.Connectors;
using Pipeline.Testing;

namespace PipelineTestProject;

public sealed class BigOrdersTests
{
    [Fact]
    public async Task A_large_order_is_sent_by_its_customer()
    {
        await using PipelineTestServer server = await PipelineTestServer.StartAsync(
            new PipelineTestOptions { ConfigurationFile = Path.Combine(AppContext.BaseDirectory, "pipeline.yaml") }
        );
        await server.Database.PutAsync(
            "orders/1",
            """{"Customer":"Ann","Total":540,"@metadata":{"@collection":"Orders"}}"""u8.ToArray()
        );
        await server.Database.PutAsync(
            "orders/2",
            """{"Customer":"Ann","Total":40,"@metadata":{"@collection":"Orders"}}"""u8.ToArray()
        );

        // Returns once the task has dealt with both orders.
        IReadOnlyList<OutgoingMessage> messages = await server.Etl("big-orders").DrainedAsync();
        Assert.Equal("Ann", Assert.Single(messages).Key);
    }
}
