using Pipeline.Hosting;
using Pipeline.TestKit.Logging;
using Pipeline.TestKit.Services;
using Xunit;

namespace Pipeline.IntegrationTests.SharedLog;

/// <summary>A node that starts while its brokers are away waits for them, and then leads.</summary>
[Collection(BrokerOutages.Name)]
public sealed class NodeStartTests(Services services)
{
    [SkippableFact]
    public async Task A_node_that_starts_before_Kafka_waits_for_it()
    {
        await using var broker = await services.Kafka.StartOwnAsync();
        await broker.StopAsync();
        var folder = Directory.CreateTempSubdirectory("node-start-");
        var url = $"http://127.0.0.1:{FreePorts.Find()}";
        var file = Path.Combine(folder.FullName, "pipeline.yaml");
        await File.WriteAllTextAsync(
            file,
            $$"""
            version: 1
            database: { name: shop, path: ./data }
            cluster:
              name: {{Sinks.NewName("start")}}
              node: n1
              url: "{{url}}"
              log: { kafka: { bootstrapServers: "{{broker.Endpoint}}", allowFewerCopies: true } }
            server: { url: "{{url}}" }
            """
        );
        var lines = new CapturedLines();
        try
        {
            var starting = PipelineWorker.OpenAsync(new WorkerOptions { ConfigurationFile = file, Loggers = lines });
            using var deadline = new CancellationTokenSource(TimeSpan.FromMinutes(1));
            while (!lines.Lines.Any(l => l.StartsWith("n1 cannot start yet", StringComparison.Ordinal)))
            {
                Assert.False(starting.IsCompleted);
                await Task.Delay(50, deadline.Token);
            }

            await broker.StartAsync();
            await using var worker = await starting;
            Assert.Equal("shop", worker.Database.Name);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }
}
