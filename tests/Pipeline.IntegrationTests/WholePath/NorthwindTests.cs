using Pipeline.IntegrationTests.Independent;
using Xunit;

namespace Pipeline.IntegrationTests.WholePath;

/// <summary>
/// Documents in, messages out, on real brokers: another client reads the messages that other code computes from the
/// documents' file.
/// </summary>
[Collection(BrokerTests.Name)]
public sealed class NorthwindTests(Services services)
{
    private readonly string _suffix = Guid.NewGuid().ToString("N")[..8];

    [SkippableFact]
    public async Task Kafka_read_by_kcat()
    {
        var kcat = KafkaReader.Require();
        var endpoint = (await services.Kafka.UseAsync()).Endpoint;
        await using var shop = new Shop();
        await shop.ImportAsync();
        await shop.RunAsync(
            $"  target: {{ kafka: {{ bootstrapServers: \"{endpoint}\", partitions: 3 }} }}",
            Northwind.Tasks(_suffix)
        );
        var expected = Northwind.Messages(_suffix);
        var received = new List<Received>();
        foreach (var topic in expected.Select(e => e.Destination).Distinct())
            received.AddRange(await KafkaReader.ReadAllAsync(kcat, endpoint, topic));
        Received.AssertSame(expected, received, shop.DatabaseId);
    }

    [SkippableFact]
    public async Task RabbitMq_read_by_pika()
    {
        var python = RabbitMqReader.Require();
        var endpoint = (await services.RabbitMq.UseAsync()).Endpoint;
        await using var shop = new Shop();
        await shop.ImportAsync();
        await shop.RunAsync($"  target: {{ rabbitmq: {{ uri: \"{endpoint}\" }} }}", Northwind.Tasks(_suffix));
        // The default exchange's routing key is the queue: the transform's key has no place there.
        var expected = Northwind.Messages(_suffix).ConvertAll(e => e with { Key = null });
        var received = new List<Received>();
        foreach (var queue in expected.Select(e => e.Destination).Distinct())
            received.AddRange(await RabbitMqReader.ReadAllAsync(python, endpoint, queue));
        Received.AssertSame(expected, received, shop.DatabaseId);
        foreach (var queue in expected.GroupBy(e => e.Destination)) // one queue is one order
        {
            Assert.Equal(
                queue.Select(e => $"{shop.DatabaseId}/{e.Id}"),
                received.Where(r => r.Destination == queue.Key).Select(r => r.Attributes["id"])
            );
        }
    }

    [SkippableFact]
    public async Task Azure_queues_read_by_Microsofts_client()
    {
        var endpoint = (await services.AzureQueues.UseAsync()).Endpoint;
        await using var shop = new Shop();
        await shop.ImportAsync();
        await shop.RunAsync(
            $"  target: {{ azureQueues: {{ connectionString: \"{endpoint}\" }} }}",
            Northwind.Tasks(_suffix)
        );
        var expected = Northwind.Messages(_suffix);
        var received = new List<Received>();
        foreach (var queue in expected.Select(e => e.Destination).Distinct())
        {
            foreach (var message in await AzureQueueReader.ReadAllAsync(endpoint, queue, base64: true))
            {
                received.Add(
                    new Received(
                        queue,
                        message.TryGetProperty("partitionkey", out var key) ? key.GetString() : null,
                        System.Text.Json.Nodes.JsonNode.Parse(message.GetProperty("data").GetRawText())!,
                        message
                            .EnumerateObject()
                            .Where(p => p.Value.ValueKind == System.Text.Json.JsonValueKind.String)
                            .ToDictionary(p => p.Name, p => p.Value.GetString()!)
                    )
                );
            }
        }

        Received.AssertSame(expected, received, shop.DatabaseId);
    }
}
