using System.Globalization;
using System.Text;
using System.Text.Json;
using Confluent.Kafka;
using Pipeline.Documents;

namespace Consumers;

/// <summary>Reads a topic and handles each message once.</summary>
/// <remarks>With <c>read_committed</c> a task's messages come once by themselves; the inbox is for what comes again all
/// the same: after a crash of this program between effect and offset, after a rebalance, after a retried dead letter or
/// a replay.</remarks>
public static class KafkaConsumer
{
    /// <summary>Reads until it is cancelled.</summary>
    /// <param name="servers">The brokers, as host:port.</param>
    /// <param name="topic">The topic.</param>
    /// <param name="group">The consumer group.</param>
    /// <param name="inbox">Remembers the handled messages.</param>
    /// <param name="effect">What to do with a message.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public static Task RunAsync(
        string servers,
        string topic,
        string group,
        MessageInbox inbox,
        Action<DocumentTransaction, ReceivedMessage> effect,
        CancellationToken cancellationToken
    ) =>
        Task.Run(
            async () =>
            {
                var config = new ConsumerConfig
                {
                    BootstrapServers = servers,
                    GroupId = group,
                    IsolationLevel = IsolationLevel.ReadCommitted,
                    EnableAutoCommit = false,
                    AutoOffsetReset = AutoOffsetReset.Earliest,
                };
                using var consumer = new ConsumerBuilder<byte[], byte[]>(config).Build();
                consumer.Subscribe(topic);
                try
                {
                    while (true)
                    {
                        var record = consumer.Consume(cancellationToken);
                        await inbox.HandleAsync(ToMessage(record), effect, cancellationToken);

                        // Committed only after the effect is durable. If this commit is lost, the record comes again
                        // and the inbox drops it.
                        consumer.Commit(record);
                    }
                }
                catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
                {
                    // Its orderly end.
                }
                finally
                {
                    // Leaves the group, so that others need not wait until it is missed.
                    consumer.Close();
                }
            },
            CancellationToken.None
        );

    /// <summary>The message of a record.</summary>
    /// <remarks>A record without <c>ce_source</c> or <c>ce_id</c> (<c>cloudEvents: none</c>) is identified by its
    /// topic, partition and offset. A record that this group rereads takes effect once, but a replay or a retried dead
    /// letter sends a new record, which takes effect again.</remarks>
    public static ReceivedMessage ToMessage(ConsumeResult<byte[], byte[]> record)
    {
        var message = record.Message;
        (var source, var id) = (Header(message, "ce_source"), Header(message, "ce_id"));
        if (source.Length == 0 || id.Length == 0)
        {
            (source, id) = (
                string.Create(CultureInfo.InvariantCulture, $"kafka:{record.Topic}/{record.Partition.Value}"),
                record.Offset.Value.ToString(CultureInfo.InvariantCulture)
            );
        }

        return new ReceivedMessage(
            source,
            id,
            Header(message, "ce_type"),
            Header(message, "ce_subject"),
            message.Value is null ? default : JsonDocument.Parse(message.Value).RootElement
        );
    }

    private static string Header(Message<byte[], byte[]> message, string name) =>
        message.Headers.TryGetLastBytes(name, out var value) ? Encoding.UTF8.GetString(value) : "";
}
