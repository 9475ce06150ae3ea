using System.Text;
using Confluent.Kafka;
using Confluent.Kafka.Admin;
using Pipeline.Etl.Connectors.Kafka;

namespace Pipeline.Benchmarks.Etl;

/// <summary>The limit that the client library sets: one thread, transactions of a fixed number of messages, no database, no headers (M1, <c>confluent-txnN</c>).</summary>
internal static class PlainKafkaLoop
{
    public static async Task<double> RunAsync(string servers, string topic, MessageDocuments documents, int messages, int perTransaction)
    {
        KafkaLibrary.Load();
        using (var admin = new AdminClientBuilder(new AdminClientConfig { BootstrapServers = servers }).Build())
            await admin.CreateTopicsAsync([new TopicSpecification { Name = topic, NumPartitions = 1, ReplicationFactor = 1 }]);

        var keys = Enumerable.Range(0, messages).Select(i => Encoding.UTF8.GetBytes(documents.Id(i))).ToArray();
        using var producer = new ProducerBuilder<byte[], byte[]>(new ProducerConfig
        {
            BootstrapServers = servers, EnableIdempotence = true, Acks = Acks.All, TransactionalId = topic, LingerMs = 5,
            QueueBufferingMaxMessages = 1_000_000, QueueBufferingMaxKbytes = 1 << 20, SocketNagleDisable = true, EnableDeliveryReports = false,
        }).Build();
        producer.InitTransactions(TimeSpan.FromSeconds(30));
        producer.BeginTransaction();
        producer.Produce(topic, new Message<byte[], byte[]> { Key = keys[0], Value = documents.Body(0) });
        producer.CommitTransaction();

        var message = new Message<byte[], byte[]>();
        var clock = new Clock();
        for (var i = 0; i < messages;)
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
}
