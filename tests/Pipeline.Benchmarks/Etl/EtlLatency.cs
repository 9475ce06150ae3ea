using System.Diagnostics;
using System.Text;
using Confluent.Kafka;
using Pipeline.Benchmarks.Subscriptions;
using Pipeline.Etl.Runner;
using Pipeline.Subscriptions;

namespace Pipeline.Benchmarks.Etl;

/// <summary>
/// The latency of an idle task: the time until the broker acknowledges a message, from the commit and from the call
/// that stores.
/// </summary>
internal static class EtlLatency
{
    private const int Warmup = 100;

    /// <summary>
    /// Stores one document every <paramref name="pace"/>; <paramref name="target"/> is a connection's options.
    /// </summary>
    public static async Task RunAsync(
        string peer,
        string target,
        string destination,
        MessageDocuments documents,
        int count,
        TimeSpan pace,
        bool timed
    )
    {
        var confirmed = new long[Warmup + count + 1];
        await using var bench = new TaskBench(target, destination, TimedDefinition.Catalog(confirmed));
        var database = bench.Database;
        await using var host = new EtlHost(bench.Plan, new DatabaseChangeFeed(database));
        host.Start();
        var (called, stored) = (new long[Warmup + count + 1], new long[Warmup + count + 1]);
        var due = Stopwatch.GetTimestamp();
        for (var i = 1; i <= Warmup + count; i++)
        {
            if (i == Warmup + 1)
            {
                await host.DrainAsync(database.LastPosition, CancellationToken.None);
                due = Stopwatch.GetTimestamp();
            }

            byte[] document = [.. "{\"@metadata\":{\"@collection\":\"Documents\"},"u8, .. documents.Body(i).AsSpan(1)];
            Pace.Until(due += (long)(pace.TotalSeconds * Stopwatch.Frequency));
            called[i] = Stopwatch.GetTimestamp();
            var position = (await database.PutAsync(documents.Id(i), document)).Position;
            stored[i] = Stopwatch.GetTimestamp();
            if (position != i)
                throw new BenchmarkException($"document {i} is change {position}");
        }

        if (!await host.DrainAsync(database.LastPosition, CancellationToken.None))
            throw new BenchmarkException("the task failed");
        if (!timed)
            return;
        SubscriptionBenchmarks.ReportLatencies(
            "ETL-idle",
            $"{peer}-from-commit",
            [.. Enumerable.Range(Warmup + 1, count).Select(i => Math.Max(0, confirmed[i] - stored[i]))]
        );
        SubscriptionBenchmarks.ReportLatencies(
            "ETL-idle",
            $"{peer}-with-commit",
            [.. Enumerable.Range(Warmup + 1, count).Select(i => confirmed[i] - called[i])]
        );
    }

    /// <summary>The plain client: one message a transaction, from its beginning until it is committed.</summary>
    public static async Task<long[]> KafkaTransactionsAsync(
        string servers,
        string topic,
        MessageDocuments documents,
        int count,
        TimeSpan pace
    )
    {
        await PlainKafkaLoop.RunAsync(servers, topic, documents, 0, 1, headers: false);
        using var producer = new ProducerBuilder<byte[], byte[]>(
            new ProducerConfig
            {
                BootstrapServers = servers,
                EnableIdempotence = true,
                Acks = Acks.All,
                TransactionalId = topic + "-idle",
                LingerMs = 0,
                SocketNagleDisable = true,
                EnableDeliveryReports = false,
            }
        ).Build();
        producer.InitTransactions(TimeSpan.FromSeconds(30));
        var took = new long[count];
        var due = Stopwatch.GetTimestamp();
        for (var i = -Warmup; i < count; i++)
        {
            Pace.Until(due += (long)(pace.TotalSeconds * Stopwatch.Frequency));
            var start = Stopwatch.GetTimestamp();
            producer.BeginTransaction();
            producer.Produce(
                topic,
                new Message<byte[], byte[]>
                {
                    Key = Encoding.UTF8.GetBytes(documents.Id(i + Warmup)),
                    Value = documents.Body(i + Warmup),
                }
            );
            producer.CommitTransaction();
            if (i >= 0)
                took[i] = Stopwatch.GetTimestamp() - start;
        }

        return took;
    }
}
