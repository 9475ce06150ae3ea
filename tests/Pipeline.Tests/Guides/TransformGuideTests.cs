using System.Text;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Pipeline.Client;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Transforms;
using Pipeline.Hosting;
using Pipeline.Testing;
using Pipeline.TestKit.Files;
using Xunit;
using Order = Pipeline.Tests.Guides.DocumentGuideTests.Order;

namespace Pipeline.Tests.Guides;

/// <summary>What docs/guides/transforms.md shows.</summary>
public sealed class TransformGuideTests
{
    private const string Yaml = """
        version: 1
        database: { name: shop, path: ./data }
        connections:
          broker: { kafka: { bootstrapServers: "localhost:9092" } }
        etl:
          - name: large-orders
            from: [Orders]
            to: broker
            class: LargeOrders
        """;

    // begin-snippet: class
    public sealed record LargeOrder(string Id, string Customer, decimal Total);

    public sealed class LargeOrders : IEtlTransform<Order>
    {
        public void Transform(EtlChange<Order> change)
        {
            var order = change.Document;
            if (order.Total >= 500)
                change.Send("large-orders", new LargeOrder(change.Id, order.Customer, order.Total), key: change.Id);
        }
    }

    // end-snippet

    [Fact]
    public async Task A_class_sends_messages_and_a_test_reads_them()
    {
        // begin-snippet: test
        await using var server = await PipelineTestServer.StartAsync(
            new PipelineTestOptions { Configuration = Yaml, Transforms = new TransformCatalog().Add<LargeOrders>() }
        );
        await using var store = server.Database.AsStore();
        await using var session = store.OpenSession();
        session.Store(
            new Order
            {
                Id = "orders/1",
                Customer = "Ann",
                Total = 540m,
            }
        );
        await session.SaveChangesAsync();
        var messages = await server.Etl("large-orders").DrainedAsync();
        // end-snippet
        Assert.Equal(
            """{"Id":"orders/1","Customer":"Ann","Total":540}""",
            Encoding.UTF8.GetString(Assert.Single(messages).Body.Span)
        );
    }

    [Fact]
    public async Task An_application_registers_it()
    {
        using var folder = new TestFolder();
        folder.Write(
            "pipeline.yaml",
            Yaml.Replace(
                "kafka: { bootstrapServers: \"localhost:9092\" }",
                "files: { directory: ./out }",
                StringComparison.Ordinal
            )
        );
        string[] args = ["--contentRoot", folder.Path, "--Logging:LogLevel:Default", "None"];
        // begin-snippet: host
        var builder = Host.CreateApplicationBuilder(args);
        builder.Services.AddPipeline("pipeline.yaml");
        builder.Services.AddEtlTransform<LargeOrders>();
        // end-snippet
        using var host = builder.Build();
        await host.StartAsync();
        Assert.Equal(
            ["large-orders"],
            host.Services.GetRequiredService<Pipeline.Hosting.PipelineWorker>().GetTasks().Select(t => t.Name)
        );
        await host.StopAsync();
    }
}
