using System.Text;
using Confluent.Kafka;
using Confluent.Kafka.Admin;
using Pipeline.Etl.Connectors.Kafka;

namespace Pipeline.Benchmarks.Etl;

/// <summary>
/// The limit set by the client library: one thread, transactions of a fixed number of messages, no database.
/// Without headers it is M1's <c>confluent-txnN</c>; with the seven that CloudEvents requires, it shows their cost in
/// the client and the broker.
/// </summary>
internal static class PlainKafkaLoop
{
    public static async Task<double> RunAsync(
        string servers,
        string topic,
        MessageDocuments documents,
        int messages,
        int perTransaction,
        bool headers
    )
    {
        using (var admin = new AdminClientBuilder(new AdminClientConfig { BootstrapServers = servers }).Build())
        {
            await admin.CreateTopicsAsync([
                new TopicSpecification
                {
                    Name = topic,
                    NumPartitions = 1,
                    ReplicationFactor = 1,
                },
            ]);
        }

        var keys = Enumerable
            .Range(0, Math.Max(1, messages))
            .Select(i => Encoding.UTF8.GetBytes(documents.Id(i)))
            .ToArray();
        using var producer = new ProducerBuilder<byte[], byte[]>(
            new ProducerConfig
            {
                BootstrapServers = servers,
                EnableIdempotence = true,
                Acks = Acks.All,
                TransactionalId = topic,
                LingerMs = 5,
                QueueBufferingMaxMessages = 1_000_000,
                QueueBufferingMaxKbytes = 1 << 20,
                SocketNagleDisable = true,
                EnableDeliveryReports = false,
            }
        ).Build();
        producer.InitTransactions(TimeSpan.FromSeconds(30));
        producer.BeginTransaction();
        producer.Produce(topic, new Message<byte[], byte[]> { Key = keys[0], Value = documents.Body(0) });
        producer.CommitTransaction();

        var message = new Message<byte[], byte[]> { Headers = headers ? CloudEvents() : null };
        var clock = new Clock();
        for (var i = 0; i < messages; )
        {
            producer.BeginTransaction();
            for (var end = Math.Min(messages, i + perTransaction); i < end; i++)
            {
                (message.Key, message.Value) = (keys[i], documents.Body(i));
                producer.Produce(topic, message);
            }

            producer.CommitTransaction();
        }

        return messages / clock.Seconds;
    }

    private static Headers CloudEvents()
    {
        var headers = new Headers();
        foreach (
            var (name, value) in new[]
            {
                ("ce_id", "Hv6hAWyaGneT0jl2X9XNbA/forward/123456/0"),
                ("ce_source", "/databases/bench/etl/forward"),
                ("ce_type", "pipeline.document.put"),
                ("ce_specversion", "1.0"),
                ("ce_subject", "cities/3039154-0"),
                ("ce_time", "2026-11-21T10:30:00.0000000Z"),
                ("content-type", "application/json"),
            }
        )
        {
            headers.Add(name, Encoding.UTF8.GetBytes(value));
        }

        return headers;
    }
}
