using System.Text;
using Confluent.Kafka;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Connectors.Kafka;
using Xunit;

namespace Pipeline.IntegrationTests.Kafka;

/// <summary>Sinks as the worker makes them, and a plain reader.</summary>
public abstract class KafkaTestBase(Services services)
{
    private readonly string _databaseId = Guid.NewGuid().ToString("N");

    protected Services Services { get; } = services;

    protected static string NewName(string prefix) => Sinks.NewName(prefix);

    protected async Task<string> EndpointAsync() => (await Services.Kafka.UseAsync()).Endpoint;

    internal static IConnector Connector(KafkaOptions options) => Sinks.Connector(options);

    internal IMessageSink Sink(IConnector connector, string task = "task") => Sinks.Sink(connector, task, _databaseId);

    /// <summary>What a reader of committed records gets from all partitions, each in its order.</summary>
    internal static List<ConsumeResult<string?, string>> ReadAll(
        string endpoint,
        string topic,
        IsolationLevel level = IsolationLevel.ReadCommitted
    )
    {
        var config = new ConsumerConfig
        {
            BootstrapServers = endpoint,
            GroupId = "test-" + topic,
            EnableAutoCommit = false,
            EnablePartitionEof = true,
            IsolationLevel = level,
        };
        using var admin = new AdminClientBuilder(new AdminClientConfig { BootstrapServers = endpoint }).Build();
        var partitions = admin.GetMetadata(topic, TimeSpan.FromSeconds(10)).Topics[0].Partitions.Count;
        using var reader = new ConsumerBuilder<string?, string>(config)
            .SetKeyDeserializer(new Text()!)
            .SetValueDeserializer(new Text()!)
            .Build();
        reader.Assign(
            Enumerable.Range(0, partitions).Select(p => new TopicPartitionOffset(topic, p, Offset.Beginning))
        );
        var all = new List<ConsumeResult<string?, string>>();
        for (var open = partitions; open > 0; )
        {
            var result =
                reader.Consume(TimeSpan.FromSeconds(30))
                ?? throw new TimeoutException($"{topic}: nothing for 30 s after {all.Count} records");
            if (result.IsPartitionEOF)
                open--;
            else
                all.Add(result);
        }

        return all;
    }

    internal static string Header(ConsumeResult<string?, string> record, string name) =>
        Encoding.UTF8.GetString(record.Message.Headers.GetLastBytes(name));

    private sealed class Text : IDeserializer<string?>
    {
        public string? Deserialize(ReadOnlySpan<byte> data, bool isNull, SerializationContext context) =>
            isNull ? null : Encoding.UTF8.GetString(data);
    }
}
