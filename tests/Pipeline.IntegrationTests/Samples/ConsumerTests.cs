using System.Text;
using Azure.Storage.Queues;
using Azure.Storage.Sas;
using Consumers;
using Pipeline.Documents;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Connectors.AzureQueues;
using Pipeline.Etl.Connectors.Kafka;
using Pipeline.Etl.Connectors.RabbitMq;
using Pipeline.IntegrationTests.Independent;
using Pipeline.TestKit.Services;
using Xunit;

namespace Pipeline.IntegrationTests.Samples;

/// <summary>
/// The consumers of samples/Consumers: a batch that comes three times, and a consumer that dies in the middle, take
/// effect once.
/// </summary>
[Collection(BrokerTests.Name)]
public sealed class ConsumerTests(Services services) : IDisposable
{
    private const int Count = 60;
    private readonly string _folder = Directory.CreateTempSubdirectory("pipeline-consumers-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [SkippableFact]
    public async Task Kafka_messages_take_effect_once()
    {
        var servers = (await services.Kafka.UseAsync()).Endpoint;
        var topic = Sinks.NewName("consumed");
        await SendThriceAsync(new KafkaOptions { BootstrapServers = servers }, topic);
        await ConsumeAsync((inbox, effect, ct) => KafkaConsumer.RunAsync(servers, topic, topic, inbox, effect, ct));
    }

    [SkippableFact]
    public async Task RabbitMq_messages_take_effect_once()
    {
        var uri = (await services.RabbitMq.UseAsync()).Endpoint;
        var queue = Sinks.NewName("consumed");
        await SendThriceAsync(new RabbitMqOptions { Uri = uri }, queue);
        await ConsumeAsync((inbox, effect, ct) => RabbitMqConsumer.RunAsync(new Uri(uri), queue, inbox, effect, ct));
    }

    [SkippableFact]
    public async Task Azure_queue_messages_take_effect_once()
    {
        var connection = (await services.AzureQueues.UseAsync()).Endpoint;
        var queue = Sinks.NewName("consumed");
        await SendThriceAsync(new AzureQueuesOptions { ConnectionString = connection }, queue);
        // A signature that may process messages is all that a consumer needs.
        var signed = new QueueClient(connection, queue).GenerateSasUri(
            QueueSasPermissions.Read | QueueSasPermissions.Process,
            DateTimeOffset.UtcNow.AddHours(1)
        );
        var client = new QueueClient(
            signed,
            new QueueClientOptions(QueueClientOptions.ServiceVersion.V2021_12_02)
            {
                MessageEncoding = QueueMessageEncoding.Base64,
            }
        );
        await ConsumeAsync(
            (inbox, effect, ct) => AzureQueueConsumer.RunAsync(client, inbox, effect, TimeSpan.FromSeconds(2), ct)
        );
    }

    [Fact]
    public async Task What_is_older_than_any_repeat_is_forgotten()
    {
        await using var inbox = MessageInbox.Open(_folder);
        var message = new ReceivedMessage("/s", "1", "t", "a/1", default);
        Assert.True(await inbox.HandleAsync(message, (_, _) => { }));
        Assert.False(await inbox.HandleAsync(message, (_, _) => throw new InvalidOperationException("it was handled")));
        await Assert.ThrowsAsync<InvalidOperationException>(() =>
            inbox.HandleAsync(message with { Id = "2" }, (_, _) => throw new InvalidOperationException("no"))
        );
        Assert.True(await inbox.HandleAsync(message with { Id = "2" }, (_, _) => { }));
        Assert.Equal(0, await inbox.ForgetAsync(TimeSpan.FromHours(1)));
        Assert.Equal(2, await inbox.ForgetAsync(TimeSpan.FromHours(-1)));
        Assert.True(await inbox.HandleAsync(message, (_, _) => { }));
    }

    [Fact]
    public async Task Records_without_headers_are_told_apart_by_their_place()
    {
        Confluent.Kafka.ConsumeResult<byte[], byte[]>[] records =
        [
            .. from partition in new[] { 0, 1 }
            from offset in new[] { 0, 1 }
            select new Confluent.Kafka.ConsumeResult<byte[], byte[]>
            {
                Topic = "orders",
                Partition = partition,
                Offset = offset,
                Message = new Confluent.Kafka.Message<byte[], byte[]> { Headers = [], Value = "{}"u8.ToArray() },
            },
        ];
        await using var inbox = MessageInbox.Open(_folder);
        foreach (var record in records)
            Assert.True(await inbox.HandleAsync(KafkaConsumer.ToMessage(record), (_, _) => { }));
        foreach (var record in records)
            Assert.False(await inbox.HandleAsync(KafkaConsumer.ToMessage(record), (_, _) => { }));
        records[0].Message.Headers.Add("ce_source", "/s"u8.ToArray());
        records[0].Message.Headers.Add("ce_id", "1"u8.ToArray());
        Assert.Equal(("/s", "1"), (KafkaConsumer.ToMessage(records[0]).Source, KafkaConsumer.ToMessage(records[0]).Id));
    }

    [Fact]
    public async Task Deliveries_without_headers_are_known_by_their_message_id_and_without_one_each_takes_effect()
    {
        await using var inbox = MessageInbox.Open(_folder);
        foreach (
            var (id, isNew) in new[]
            {
                ("db/t/1/0", true),
                ("db/t/2/0", true),
                ("db/t/1/0", false),
                (null, true),
                (null, true),
            }
        )
        {
            var properties = new RabbitMQ.Client.BasicProperties { MessageId = id };
            var delivery = new RabbitMQ.Client.Events.BasicDeliverEventArgs(
                "c",
                1,
                false,
                "",
                "orders",
                properties,
                "{}"u8.ToArray()
            );
            Assert.Equal(isNew, await inbox.HandleAsync(RabbitMqConsumer.ToMessage(delivery), (_, _) => { }));
        }
    }

    private static async Task SendThriceAsync(object options, string destination)
    {
        await using var connector = Sinks.Connector(options);
        await using var sink = Sinks.Sink(connector, databaseId: Guid.NewGuid().ToString("N"));
        await sink.ConnectAsync(CancellationToken.None);
        var messages = Messages.Many(destination, Count);
        for (var i = 0; i < 3; i++)
        {
            Assert.Empty(
                await sink.SendAsync(
                    new MessageBatch(messages, Count) { LeavesPosition = true },
                    CancellationToken.None
                )
            );
        }
    }

    /// <summary>A first consumer ends with an error in the middle of an effect, a second one does the rest.</summary>
    private async Task ConsumeAsync(
        Func<MessageInbox, Action<DocumentTransaction, ReceivedMessage>, CancellationToken, Task> consume
    )
    {
        using var late = new CancellationTokenSource(TimeSpan.FromSeconds(60));
        for (var run = 0; run < 2; run++)
        {
            await using var inbox = MessageInbox.Open(_folder);
            using var stop = CancellationTokenSource.CreateLinkedTokenSource(late.Token);
            var handled = 0;
            var last = run == 1;
            var consuming = consume(
                inbox,
                (transaction, message) =>
                {
                    if (!last && handled++ == Count / 2)
                    {
                        stop.Cancel();
                        throw new InvalidOperationException("the consumer dies");
                    }

                    var id = "counts/" + message.Subject;
                    var count = transaction.TryGet(id, out var known) ? known.Body.Root["Count"].GetInt64() : 0;
                    transaction.Put(
                        id,
                        Encoding.UTF8.GetBytes($$$"""{"Count":{{{count + 1}}},"@metadata":{"@collection":"Counts"}}""")
                    );
                },
                stop.Token
            );
            while (!stop.IsCancellationRequested && !consuming.IsCompleted && Counts(inbox).Count < Count)
                await Task.Delay(20, CancellationToken.None);
            if (last)
                await Task.Delay(300, CancellationToken.None); // repeats that are still to come
            await stop.CancelAsync();
            await consuming.ConfigureAwait(
                ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ContinueOnCapturedContext
            );
            if (!last)
                continue;
            Assert.True(
                Counts(inbox).Count == Count,
                $"{Counts(inbox).Count} of {Count} were handled; {consuming.Exception?.InnerException}"
            );
            Assert.Equal(Count, Counts(inbox).Count);
            Assert.All(Counts(inbox), c => Assert.Equal(1, c));
        }
    }

    private static List<long> Counts(MessageInbox inbox)
    {
        using var snapshot = inbox.Database.OpenSnapshot();
        return [.. snapshot.GetByCollection("Counts").Select(d => d.Body.Root["Count"].GetInt64())];
    }
}
