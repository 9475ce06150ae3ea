using System.Diagnostics;
using System.Text;
using Confluent.Kafka;
using Pipeline.Benchmarks.Etl;
using Pipeline.Etl.Connectors.Kafka;

namespace Pipeline.Benchmarks.Subscriptions;

/// <summary>
/// Kafka's consumer on M3 and M4: a group of one, read committed, offsets committed synchronously after each 1,000.
/// </summary>
internal static class KafkaPeer
{
    private const int PerCommit = 1_000;

    /// <summary>M3; <c>deep</c>: the client may prefetch everything, otherwise its defaults.</summary>
    public static async Task<double> RateAsync(
        string servers,
        MessageDocuments documents,
        int messages,
        bool deep,
        int round
    )
    {
        var topic = $"m3-{(deep ? "deep" : "default")}-{round}-{Environment.ProcessId}";
        await PlainKafkaLoop.RunAsync(servers, topic, documents, messages, 1_000, headers: false);
        using var consumer = new ConsumerBuilder<byte[], byte[]>(
            new ConsumerConfig
            {
                BootstrapServers = servers,
                GroupId = topic,
                QueuedMinMessages = deep ? 1_000_000 : null,
                QueuedMaxMessagesKbytes = deep ? 1 << 20 : null,
                EnableAutoCommit = false,
                EnableAutoOffsetStore = false,
                AutoOffsetReset = AutoOffsetReset.Earliest,
                IsolationLevel = IsolationLevel.ReadCommitted,
                SocketNagleDisable = true,
            }
        ).Build();
        consumer.Subscribe(topic);
        Clock? clock = null;
        var allocated = 0L;
        for (var i = -1; i < messages; i++)
        {
            var result =
                consumer.Consume(TimeSpan.FromSeconds(30))
                ?? throw new BenchmarkException($"{topic}: nothing after message {i}");
            if (i < 0)
            {
                // The one before the first says that the consumer has joined.
                (clock, allocated) = (new Clock(), GC.GetTotalAllocatedBytes(precise: true));
                continue;
            }

            if (result.Message.Value.Length != documents.Size)
                throw new BenchmarkException($"{topic}: message {i} has {result.Message.Value.Length} bytes");
            if (i % PerCommit == PerCommit - 1 || i == messages - 1)
                consumer.Commit([new TopicPartitionOffset(result.TopicPartition, result.Offset + 1)]);
        }

        var (seconds, cpu) = (clock!.Seconds, clock.CpuSeconds);
        consumer.Close();
        if (round > 0)
        {
            var peer = deep ? "kafka-commit1000-deep" : "kafka-commit1000-default";
            Report.Figure("M3", peer, "rate", messages / seconds, "1/s");
            Report.Figure("M3", peer, "cpu-client", cpu / messages * 1e6, "us/doc");
            Report.Figure(
                "M3",
                peer,
                "allocated",
                (GC.GetTotalAllocatedBytes(precise: true) - allocated) / (double)messages,
                "B/doc"
            );
        }

        return messages / seconds;
    }

    /// <summary>M4: linger 0, idempotent, all acknowledgements, no transactions.</summary>
    public static async Task LatencyAsync(string servers, MessageDocuments documents, int round)
    {
        var count = round > 0 ? SubscriptionBenchmarks.IdleMessages : SubscriptionBenchmarks.IdleMessages / 5;
        var topic = $"m4-{round}-{Environment.ProcessId}";
        await PlainKafkaLoop.RunAsync(servers, topic, documents, 0, 1, headers: false);
        var (sent, taken) = (new long[count], new long[count]);
        using var ready = new ManualResetEventSlim();
        var reader = Task.Factory.StartNew(
            () =>
            {
                using var consumer = new ConsumerBuilder<byte[], byte[]>(
                    new ConsumerConfig
                    {
                        BootstrapServers = servers,
                        GroupId = topic,
                        EnableAutoCommit = false,
                        AutoOffsetReset = AutoOffsetReset.Earliest,
                        IsolationLevel = IsolationLevel.ReadCommitted,
                        SocketNagleDisable = true,
                    }
                ).Build();
                consumer.Assign(new TopicPartitionOffset(topic, 0, Offset.Beginning));
                for (var i = -1; i < count; i++)
                {
                    _ =
                        consumer.Consume(TimeSpan.FromSeconds(30))
                        ?? throw new BenchmarkException($"{topic}: no message {i}");
                    if (i < 0)
                        ready.Set();
                    else
                        taken[i] = Stopwatch.GetTimestamp();
                }
            },
            TaskCreationOptions.LongRunning
        );
        using var producer = new ProducerBuilder<byte[], byte[]>(
            new ProducerConfig
            {
                BootstrapServers = servers,
                EnableIdempotence = true,
                Acks = Acks.All,
                LingerMs = 0,
                SocketNagleDisable = true,
                EnableDeliveryReports = false,
            }
        ).Build();
        if (!ready.Wait(TimeSpan.FromSeconds(30)))
            throw new BenchmarkException($"{topic}: the consumer does not read");
        var due = Stopwatch.GetTimestamp();
        for (var i = 0; i < count; i++)
        {
            Pace.Until(due += Stopwatch.Frequency / 100);
            sent[i] = Stopwatch.GetTimestamp();
            producer.Produce(
                topic,
                new Message<byte[], byte[]> { Key = Encoding.UTF8.GetBytes(documents.Id(i)), Value = documents.Body(i) }
            );
        }

        await reader;
        if (round > 0)
            SubscriptionBenchmarks.ReportLatencies("M4", "kafka", [.. taken.Zip(sent, (t, s) => t - s)]);
    }
}
