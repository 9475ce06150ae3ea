using System.Diagnostics;
using Confluent.Kafka;
using Pipeline.Cluster;
using Pipeline.Etl.Connectors.Kafka;
using Pipeline.KafkaLog;

namespace Pipeline.Benchmarks.Cluster;

/// <summary>
/// What a commit takes without the database: Kafka's client library alone, and the log on top of it. Both append records
/// of the size that the cluster's log has, one at a time, to a topic with the same settings.
/// </summary>
internal static class BareLog
{
    /// <summary>A beat has fewer bytes, an entry more.</summary>
    private const int LeastEntry = 200;
    private const int Looked = 500;

    /// <summary>Those before may be of the bulk insert that fills the database.</summary>
    private const int LastEntries = 64;

    /// <summary>Measures both.</summary>
    /// <param name="kafka">The brokers.</param>
    /// <param name="topic">The topic of the cluster's log.</param>
    /// <param name="time">How long each is measured.</param>
    public static async Task MeasureAsync(string kafka, string topic, TimeSpan time)
    {
        var record = new byte[await EntryBytesAsync(kafka, topic)];
        new Random(1).NextBytes(record);
        await using var log = await OpenAsync(kafka, topic + "-bare");
        using var producer = new ProducerBuilder<Null, byte[]>(
            new ProducerConfig
            {
                BootstrapServers = kafka,
                EnableIdempotence = true,
                Acks = Acks.All,
                LingerMs = 0,
                SocketNagleDisable = true,
            }
        ).Build();
        var at = new TopicPartition(topic + "-bare", 0);
        var what = $"{record.Length}B-1";
        await RepeatAsync("producer-" + what, time, () => producer.ProduceAsync(at, new() { Value = record }));
        await RepeatAsync("log-" + what, time, () => AppendAsync(log, record));
    }

    private static async Task AppendAsync(KafkaSharedLog log, byte[] record)
    {
        var answer = await log.AppendAsync(record, 0);
        if (answer.Outcome != AppendOutcome.At)
            throw new BenchmarkException($"{log.Name} does not say where the record is: {answer}");
    }

    private static async Task RepeatAsync(string peer, TimeSpan time, Func<Task> append)
    {
        await append();
        List<double> times = [];
        var clock = new Clock();
        while (clock.Seconds < time.TotalSeconds)
        {
            var since = Stopwatch.GetTimestamp();
            await append();
            times.Add(Stopwatch.GetElapsedTime(since).TotalMicroseconds);
        }
        Report.Requests("CL-write-1", peer, [.. times], clock.Seconds);
    }

    /// <summary>The median size of the last entries of a log.</summary>
    private static async Task<int> EntryBytesAsync(string kafka, string topic)
    {
        await using var log = await OpenAsync(kafka, topic);
        var bounds = await log.GetBoundsAsync();
        var batch = await log.ReadAsync(
            Math.Max(bounds.First, bounds.End - Looked),
            64 << 20,
            TimeSpan.FromSeconds(10)
        );
        var sizes = batch
            .Records.Select(r => r.Length)
            .Where(n => n >= LeastEntry)
            .TakeLast(LastEntries)
            .Order()
            .ToList();
        return sizes.Count > 0 ? sizes[sizes.Count / 2] : throw new BenchmarkException($"{topic} has no entries");
    }

    private static Task<KafkaSharedLog> OpenAsync(string kafka, string topic) =>
        KafkaSharedLog.OpenAsync(
            new KafkaLogOptions
            {
                Connection = new KafkaOptions { BootstrapServers = kafka },
                Topic = topic,
                AllowFewerCopies = true,
            }
        );
}
