using Confluent.Kafka;
using Confluent.Kafka.Admin;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Connectors.Kafka;
using Xunit;

namespace Pipeline.IntegrationTests.Kafka;

[Collection(BrokerTests.Name)]
public sealed class KafkaSinkTests(Services services) : KafkaTestBase(services)
{
    [SkippableFact]
    public async Task Every_message_arrives_with_its_attributes_in_the_order_of_its_key()
    {
        var endpoint = await EndpointAsync();
        var topic = NewName("all");
        await using var connector = Connector(new KafkaOptions { BootstrapServers = endpoint, Partitions = 3 });
        await using var sink = Sink(connector);
        Assert.Null(await sink.ConnectAsync(default));
        var messages = Messages.Many(topic, 2_000);
        foreach (var part in messages.Chunk(700))
            Assert.Empty(await sink.SendAsync(Messages.Batch(part), default));

        var records = ReadAll(endpoint, topic);

        Assert.Equal(messages.Select(m => m.Id).Order(), records.Select(r => Header(r, "ce_id")).Order());
        Assert.Equal(3, records.Select(r => r.Partition.Value).Distinct().Count());
        foreach (var key in messages.GroupBy(m => m.Key))
        {
            Assert.Equal(
                key.Select(m => m.Id),
                records.Where(r => r.Message.Key == key.Key).Select(r => Header(r, "ce_id"))
            );
        }

        var first = Assert.Single(records, r => Header(r, "ce_id") == "db/task/1/0");
        Assert.Equal("""{"n":1,"text":"Ærø \u2713 \"quoted\" <&>"}""", first.Message.Value);
        Assert.Equal(
            ["ce_id", "ce_source", "ce_specversion", "ce_subject", "ce_time", "ce_type", "content-type"],
            first.Message.Headers.Select(h => h.Key).Order(StringComparer.Ordinal)
        );
        Assert.Equal("shop/Orders", Header(first, "ce_source"));
        Assert.Equal("order.changed", Header(first, "ce_type"));
        Assert.Equal("1.0", Header(first, "ce_specversion"));
        Assert.Equal("orders/1", Header(first, "ce_subject"));
        Assert.Equal(Messages.Time.AddMilliseconds(1), DateTimeOffset.Parse(Header(first, "ce_time")));
        Assert.Equal("application/json", Header(first, "content-type"));
    }

    [SkippableFact]
    public async Task A_message_without_a_body_is_a_tombstone()
    {
        var endpoint = await EndpointAsync();
        var topic = NewName("tombstones");
        await using var connector = Connector(new KafkaOptions { BootstrapServers = endpoint, Partitions = 1 });
        await using var sink = Sink(connector);
        await sink.ConnectAsync(default);
        Assert.Empty(
            await sink.SendAsync(
                Messages.Batch([Messages.Make(topic, 1, "k"), Messages.Make(topic, 2, "k", "")]),
                default
            )
        );

        var records = ReadAll(endpoint, topic);

        Assert.Equal(["k", "k"], records.Select(r => r.Message.Key));
        Assert.NotNull(records[0].Message.Value);
        Assert.Null(records[1].Message.Value);
    }

    [SkippableFact]
    public async Task The_position_is_read_back_by_the_next_instance_and_belongs_to_one_task()
    {
        var endpoint = await EndpointAsync();
        var topic = NewName("position");
        await using var connector = Connector(new KafkaOptions { BootstrapServers = endpoint });
        await using (var sink = Sink(connector, "first"))
        await using (var other = Sink(connector, "second"))
        {
            await sink.ConnectAsync(default);
            await other.ConnectAsync(default);
            await sink.SendAsync(new MessageBatch([Messages.Make(topic, 1)], 41), default);
            await other.SendAsync(new MessageBatch([Messages.Make(topic, 1)], 7), default);
            await sink.SendAsync(new MessageBatch([Messages.Make(topic, 2)], 42), default);
            await sink.SendAsync(new MessageBatch([], 99), default);
        }

        await using var next = Sink(connector, "first");
        await using var nextOther = Sink(connector, "second");
        await using var never = Sink(connector, "third");
        Assert.Equal(42, await next.ConnectAsync(default));
        Assert.Equal(7, await nextOther.ConnectAsync(default));
        Assert.Null(await never.ConnectAsync(default));
    }

    [SkippableFact]
    public async Task Of_a_batch_sent_again_only_what_another_instance_did_not_commit_arrives()
    {
        var endpoint = await EndpointAsync();
        var topic = NewName("overlap");
        await using var connector = Connector(new KafkaOptions { BootstrapServers = endpoint });
        await using var first = Sink(connector);
        await first.ConnectAsync(default);
        var messages = Messages.Many(topic, 10);
        await using (var second = Sink(connector))
        {
            await second.ConnectAsync(default);
            await second.SendAsync(Messages.Batch(messages[..4]), default);
        }

        await Assert.ThrowsAsync<ConnectorException>(() => first.SendAsync(Messages.Batch(messages), default).AsTask());
        Assert.Equal(4, await first.ConnectAsync(default));
        await first.SendAsync(Messages.Batch(messages), default);

        Assert.Equal(
            messages.Select(m => m.Id).Order(),
            ReadAll(endpoint, topic).Select(r => Header(r, "ce_id")).Order()
        );
    }

    [SkippableFact]
    public async Task A_task_that_rests_finds_its_position_behind_thousands_of_others()
    {
        var endpoint = await EndpointAsync();
        var topic = NewName("rest");
        var options = new KafkaOptions { BootstrapServers = endpoint, PositionsTopic = NewName("positions") };
        using (var admin = new AdminClientBuilder(new AdminClientConfig { BootstrapServers = endpoint }).Build())
        {
            await admin.CreateTopicsAsync([
                new TopicSpecification
                {
                    Name = options.PositionsTopic,
                    NumPartitions = 1,
                    ReplicationFactor = 1,
                },
            ]);
        }

        await using var connector = Connector(options);
        await using (var resting = Sink(connector, "resting"))
        {
            await resting.ConnectAsync(default);
            await resting.SendAsync(new MessageBatch([Messages.Make(topic, 1)], 5), default);
        }

        // Straight to the topic: as many transactions would take a minute.
        using (
            var producer = new ProducerBuilder<string, string>(
                new ProducerConfig { BootstrapServers = endpoint }
            ).Build()
        )
        {
            for (var i = 0; i < 12_000; i++)
                producer.Produce(options.PositionsTopic, new() { Key = "other/task", Value = """{"position":1}""" });
            Assert.Equal(0, producer.Flush(TimeSpan.FromSeconds(30)));
        }

        await using var again = Sink(connector, "resting");
        Assert.Equal(5, await again.ConnectAsync(default));
    }

    [SkippableFact]
    public async Task A_second_instance_fences_the_first_and_nothing_is_sent_twice()
    {
        var endpoint = await EndpointAsync();
        var topic = NewName("fence");
        await using var connector = Connector(new KafkaOptions { BootstrapServers = endpoint });
        await using var first = Sink(connector);
        await first.ConnectAsync(default);
        await first.SendAsync(Messages.Batch([Messages.Make(topic, 1)]), default);

        await using var second = Sink(connector);
        Assert.Equal(1, await second.ConnectAsync(default));
        var error = await Assert.ThrowsAsync<ConnectorException>(() =>
            first.SendAsync(Messages.Batch([Messages.Make(topic, 2)]), default).AsTask()
        );
        await second.SendAsync(Messages.Batch([Messages.Make(topic, 2)]), default);

        Assert.False(error.IsTransient);
        Assert.Contains("runs elsewhere", error.Message);
        Assert.Equal(["db/task/1/0", "db/task/2/0"], ReadAll(endpoint, topic).Select(r => Header(r, "ce_id")).Order());
    }

    [SkippableFact]
    public async Task A_message_over_the_topics_limit_is_told_apart_and_the_others_arrive()
    {
        var endpoint = await EndpointAsync();
        var topic = NewName("limit");
        using (var admin = new AdminClientBuilder(new AdminClientConfig { BootstrapServers = endpoint }).Build())
        {
            await admin.CreateTopicsAsync([
                new TopicSpecification
                {
                    Name = topic,
                    NumPartitions = 1,
                    ReplicationFactor = 1,
                    Configs = new() { ["max.message.bytes"] = "20000" },
                },
            ]);
        }

        await using var connector = Connector(new KafkaOptions { BootstrapServers = endpoint });
        await using var sink = Sink(connector);
        await sink.ConnectAsync(default);
        var messages = Enumerable
            .Range(1, 300)
            .Select(i => Messages.Make(topic, i, "k", $"\"{new string('x', i == 77 ? 21_000 : 500)}\""))
            .ToList();

        var failure = Assert.Single(await sink.SendAsync(Messages.Batch(messages), default));

        Assert.Same(messages[76], failure.Message);
        Assert.Contains($"max.message.bytes of topic '{topic}' is 20000", failure.Reason);
        Assert.Equal(
            messages.Where(m => m.Position != 77).Select(m => m.Id),
            ReadAll(endpoint, topic).Select(r => Header(r, "ce_id"))
        );
        Assert.Contains("20000", sink.FindFault(messages[76]));
        Assert.Null(sink.FindFault(messages[0]));
    }

    [SkippableFact]
    public async Task A_message_that_only_the_broker_can_refuse_is_found_and_the_others_arrive_once()
    {
        // A compacted topic takes no record without a key; nothing on our side knows that.
        var endpoint = await EndpointAsync();
        var topic = NewName("refused");
        using (var admin = new AdminClientBuilder(new AdminClientConfig { BootstrapServers = endpoint }).Build())
        {
            await admin.CreateTopicsAsync([
                new TopicSpecification
                {
                    Name = topic,
                    NumPartitions = 1,
                    ReplicationFactor = 1,
                    Configs = new() { ["cleanup.policy"] = "compact" },
                },
            ]);
        }

        await using var connector = Connector(new KafkaOptions { BootstrapServers = endpoint });
        await using var sink = Sink(connector);
        await sink.ConnectAsync(default);
        var messages = Enumerable
            .Range(1, 50)
            .Select(i => Messages.Make(topic, i, i is 20 or 40 ? null : "k" + i))
            .ToList();

        var failures = await sink.SendAsync(Messages.Batch(messages), default);
        await sink.SendAsync(Messages.Batch([Messages.Make(topic, 51, "k51")]), default);

        Assert.Equal([20, 40], failures.Select(f => f.Message.Position));
        Assert.Equal(
            messages.Where(m => m.Key is not null).Select(m => m.Id).Append("db/task/51/0"),
            ReadAll(endpoint, topic).Select(r => Header(r, "ce_id"))
        );
    }

    [SkippableFact]
    public async Task With_create_false_a_missing_topic_is_the_messages_fault()
    {
        var endpoint = await EndpointAsync();
        var there = NewName("there");
        await using (var maker = Connector(new KafkaOptions { BootstrapServers = endpoint }))
        await using (var sink = Sink(maker))
        {
            await sink.ConnectAsync(default);
            await sink.SendAsync(Messages.Batch([Messages.Make(there, 1)]), default);
        }

        await using var connector = Connector(new KafkaOptions { BootstrapServers = endpoint, Create = false });
        await using var strict = Sink(connector, "strict");
        await strict.ConnectAsync(default);
        var failures = await strict.SendAsync(
            Messages.Batch([Messages.Make("not-there", 1), Messages.Make(there, 2)]),
            default
        );

        Assert.Contains("'not-there' does not exist", Assert.Single(failures).Reason);
        Assert.Equal(2, ReadAll(endpoint, there).Count);
    }

    [SkippableFact]
    public async Task Names_and_sizes_that_no_topic_takes_are_known_before_sending()
    {
        var endpoint = await EndpointAsync();
        await using var connector = Connector(new KafkaOptions { BootstrapServers = endpoint });
        await using var sink = Sink(connector);
        Assert.Contains("is not a topic's name", sink.FindFault(Messages.Make("big orders", 1)));
        Assert.Contains("1 to 249 characters", sink.FindFault(Messages.Make(new string('a', 250), 1)));
        Assert.Contains(
            "maxMessageBytes of connection 'kafka' is 1000000",
            sink.FindFault(Messages.Make("t", 1, body: new string(' ', 1_000_001)))
        );
        Assert.Null(sink.FindFault(Messages.Make("t", 1, body: new string(' ', 990_000))));
    }

    [SkippableFact]
    public async Task What_was_produced_but_not_committed_is_never_seen_and_the_next_instance_sends_it_once()
    {
        var endpoint = await EndpointAsync();
        var topic = NewName("killed");
        await using var connector = Connector(new KafkaOptions { BootstrapServers = endpoint });
        var crashed = Sink(connector);
        await crashed.ConnectAsync(default);
        await crashed.SendAsync(Messages.Batch(Messages.Many(topic, 10)), default);
        await crashed.DisposeAsync();

        // As a process that dies between produce and commit leaves it: the same transactional id, records at the
        // broker, no commit.
        var id = ((KafkaSink)Sink(connector)).TransactionalId;
        using (
            var dying = new ProducerBuilder<string, string>(
                new ProducerConfig
                {
                    BootstrapServers = endpoint,
                    TransactionalId = id,
                    LingerMs = 0,
                }
            ).Build()
        )
        {
            dying.InitTransactions(TimeSpan.FromSeconds(30));
            dying.BeginTransaction();
            var arrived = await dying.ProduceAsync(topic, new() { Key = "key-1", Value = "half" });
            Assert.Equal(PersistenceStatus.Persisted, arrived.Status);
        }

        await using var next = Sink(connector);
        Assert.Equal(10, await next.ConnectAsync(default));
        await next.SendAsync(Messages.Batch([Messages.Make(topic, 11, "key-1")]), default);

        var records = ReadAll(endpoint, topic);
        Assert.Equal(11, records.Count);
        Assert.DoesNotContain(records, r => r.Message.Value == "half");
        Assert.Contains(ReadAll(endpoint, topic, IsolationLevel.ReadUncommitted), r => r.Message.Value == "half");
    }
}
