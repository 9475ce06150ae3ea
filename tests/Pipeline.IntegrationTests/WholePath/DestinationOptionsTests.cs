using System.Text;
using Pipeline.IntegrationTests.Independent;
using RabbitMQ.Client;
using Xunit;

namespace Pipeline.IntegrationTests.WholePath;

/// <summary>
/// The broker applies a task's <c>destinations</c> to its messages: partition, headers, expiration, delay,
/// deduplication.
/// </summary>
[Collection(BrokerTests.Name)]
public sealed class DestinationOptionsTests(Services services)
{
    [SkippableFact]
    public async Task Kafka_has_the_partition_and_the_headers_of_the_destination()
    {
        var kcat = KafkaReader.Require();
        var endpoint = (await services.Kafka.UseAsync()).Endpoint;
        var (chosen, free) = (Sinks.NewName("chosen"), Sinks.NewName("free"));
        await using var shop = new Shop();
        await Things.PutAsync(shop, 0, 40);
        await shop.RunAsync(
            $"  target: {{ kafka: {{ bootstrapServers: \"{endpoint}\", partitions: 3 }} }}",
            $$"""
            etl:
              - name: t
                from: [Things]
                to: target
                destinations:
                  {{chosen}}: { partition: 1, headers: { tenant: blue, region: "Ærø" } }
                transform: |
                  send("{{chosen}}", doc, key: id);
                  send("{{free}}", doc, key: id);
            """
        );

        var records = await KafkaReader.ReadRecordsAsync(kcat, endpoint, chosen);
        Assert.Equal(40, records.Count);
        Assert.All(records, r => Assert.Equal(1, r.GetProperty("partition").GetInt32()));
        var read = await KafkaReader.ReadAllAsync(kcat, endpoint, chosen);
        Assert.All(
            read,
            r =>
                Assert.Equal(
                    ("blue", "Ærø"),
                    (r.Attributes["not CloudEvents: tenant"], r.Attributes["not CloudEvents: region"])
                )
        );

        // The options of one destination do not affect another.
        var others = await KafkaReader.ReadRecordsAsync(kcat, endpoint, free);
        Assert.Equal(40, others.Count);
        Assert.Equal([0, 1, 2], others.Select(r => r.GetProperty("partition").GetInt32()).Distinct().Order());
        Assert.All(
            await KafkaReader.ReadAllAsync(kcat, endpoint, free),
            r => Assert.DoesNotContain("not CloudEvents: tenant", r.Attributes.Keys)
        );
    }

    [SkippableFact]
    public async Task RabbitMq_has_the_expiration_and_the_headers_of_the_destination()
    {
        var endpoint = (await services.RabbitMq.UseAsync()).Endpoint;
        var (chosen, free, exchange, bound) = (
            Sinks.NewName("chosen"),
            Sinks.NewName("free"),
            Sinks.NewName("exchange"),
            Sinks.NewName("bound")
        );
        await using var connection = await new ConnectionFactory { Uri = new Uri(endpoint) }.CreateConnectionAsync();
        await using var channel = await connection.CreateChannelAsync();
        await channel.ExchangeDeclareAsync(exchange, "topic", durable: true);
        await channel.QueueDeclareAsync(bound, durable: true, exclusive: false, autoDelete: false);
        await channel.QueueBindAsync(bound, exchange, "#");
        await using var shop = new Shop();
        await Things.PutAsync(shop, 1, 1);
        await shop.RunAsync(
            $"  queues: {{ rabbitmq: {{ uri: \"{endpoint}\" }} }}\n  exchange: {{ rabbitmq: {{ uri: \"{endpoint}\", exchange: \"{exchange}\" }} }}",
            $$"""
            etl:
              - name: to-queues
                from: [Things]
                to: queues
                destinations:
                  {{chosen}}: { headers: { tenant: blue }, ttl: 90m, dedup: id }
                transform: |
                  send("{{chosen}}", doc, key: "k");
                  send("{{free}}", doc, key: "k");
              - name: to-exchange
                from: [Things]
                to: exchange
                destinations:
                  later: { delay: 1500ms, dedup: key }
                transform: 'send("later", doc, key: "orders.dk");'
            """
        );

        var got = await GetAsync(channel, chosen);
        Assert.Equal(
            ("5400000", "blue", $"{shop.DatabaseId}/to-queues/1/0"),
            (got.Expiration, Text(got, "tenant"), Text(got, "x-deduplication-header"))
        );
        Assert.Equal(got.MessageId, Text(got, "x-deduplication-header"));
        Assert.DoesNotContain("x-delay", got.Headers!.Keys);

        var other = await GetAsync(channel, free);
        Assert.Null(other.Expiration);
        Assert.All(other.Headers!.Keys, k => Assert.StartsWith("cloudEvents:", k, StringComparison.Ordinal));

        var delayed = await GetAsync(channel, bound);
        Assert.Equal((1_500L, "orders.dk"), (delayed.Headers!["x-delay"], Text(delayed, "x-deduplication-header")));
        Assert.Null(delayed.Expiration);
    }

    private static async Task<IReadOnlyBasicProperties> GetAsync(IChannel channel, string queue)
    {
        var got = await channel.BasicGetAsync(queue, autoAck: true);
        Assert.NotNull(got);
        Assert.Null(await channel.BasicGetAsync(queue, autoAck: true));
        return got.BasicProperties;
    }

    private static string Text(IReadOnlyBasicProperties message, string header) =>
        Encoding.UTF8.GetString(Assert.IsType<byte[]>(message.Headers![header]));
}
