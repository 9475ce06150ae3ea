using System.Globalization;
using Pipeline.Benchmarks.Etl;
using Pipeline.TestKit.Services;

namespace Pipeline.Benchmarks.Subscriptions;

/// <summary>
/// Compares an in-process subscription with a Kafka consumer and a RabbitMQ consumer, in alternation. Arguments (all by
/// default): `rate` (at 1 KiB, M3, and on the cities unchanged), `latency` (of single messages, M4, and under load),
/// `workers` (two that compete). `--peers kafka,rabbitmq` (default none), `--messages N` (default 200,000), `--rounds
/// N` (default 3, after one untimed round), `--data FOLDER` (default ../shared/data).
/// </summary>
/// <remarks>
/// Filling is not timed. Every batch of 1,000 is acknowledged durably before the next one is requested.
/// </remarks>
public static class SubscriptionBenchmarks
{
    /// <summary>The number of messages that a latency is measured on, one every 10 ms.</summary>
    internal const int IdleMessages = 1_000;

    public static async Task<int> RunAsync(string[] arguments)
    {
        var what = new List<string>();
        var (messages, rounds, data, peers) = (200_000, 3, Path.Combine("..", "shared", "data"), "");
        for (var i = 0; i < arguments.Length; i++)
        {
            if (arguments[i] is "rate" or "latency" or "workers")
            {
                what.Add(arguments[i]);
            }
            else if (arguments[i] == "--data" && i + 1 < arguments.Length)
            {
                data = arguments[++i];
            }
            else if (arguments[i] == "--peers" && i + 1 < arguments.Length)
            {
                peers = arguments[++i];
            }
            else if (arguments[i] == "--messages" && i + 1 < arguments.Length)
            {
                messages = int.Parse(arguments[++i], CultureInfo.InvariantCulture);
            }
            else if (arguments[i] == "--rounds" && i + 1 < arguments.Length)
            {
                rounds = int.Parse(arguments[++i], CultureInfo.InvariantCulture);
            }
            else
            {
                throw new BenchmarkException(
                    $"'{arguments[i]}' is not an argument; what: rate latency workers; --peers kafka,rabbitmq, --messages N, --rounds N, --data FOLDER"
                );
            }
        }

        bool Wants(string part) => what.Count == 0 || what.Contains(part);
        var documents = new MessageDocuments(Path.Combine(data, "movies.jsonl.gz"), 1024);
        await using var kafka = peers.Contains("kafka", StringComparison.Ordinal) ? new KafkaService() : null;
        await using var rabbit = peers.Contains("rabbitmq", StringComparison.Ordinal) ? new RabbitMqService() : null;
        var servers = kafka is null ? null : (await kafka.UseAsync()).Endpoint;
        var uri = rabbit is null ? null : (await rabbit.UseAsync()).Endpoint;
        for (var round = 0; round <= rounds; round++)
        {
            if (Wants("rate"))
            {
                var ours = await FeedRate.RunAsync("M3", documents, messages, json: false, round > 0);
                await FeedRate.RunAsync("M3", documents, messages, json: true, round > 0);
                await FeedRate.RunCitiesAsync(Path.Combine(data, "cities.jsonl.gz"), json: false, round > 0);
                await FeedRate.RunCitiesAsync(Path.Combine(data, "cities.jsonl.gz"), json: true, round > 0);
                if (servers is not null)
                {
                    var deep = await KafkaPeer.RateAsync(servers, documents, messages, deep: true, round);
                    var plain = await KafkaPeer.RateAsync(servers, documents, messages, deep: false, round);
                    if (round > 0)
                    {
                        Report.Figure("M3", "pipeline", "of-kafka-deep", ours / deep, "ratio");
                        Report.Figure("M3", "pipeline", "of-kafka-default", ours / plain, "ratio");
                    }
                }

                if (uri is not null)
                    await RabbitPeer.RateAsync(uri, documents, Math.Min(messages, 50_000), round);
            }

            if (Wants("latency"))
            {
                await FeedLatency.IdleAsync(documents, round > 0);
                await FeedLatency.LoadedAsync(documents, round > 0);
                if (servers is not null)
                    await KafkaPeer.LatencyAsync(servers, documents, round);
                if (uri is not null)
                    await RabbitPeer.LatencyAsync(uri, documents, round);
            }

            if (Wants("workers"))
                await CompetingWorkers.RunAsync(documents, round > 0);
        }

        return 0;
    }

    /// <summary>Reports p50, p99 and the greatest of some durations in ticks of the stopwatch.</summary>
    internal static void ReportLatencies(string workload, string peer, long[] ticks)
    {
        double[] sorted = [.. ticks.Select(t => t * 1e6 / System.Diagnostics.Stopwatch.Frequency).Order()];
        Report.Figure(workload, peer, "p50", Report.Percentile(sorted, 0.50), "us");
        Report.Figure(workload, peer, "p99", Report.Percentile(sorted, 0.99), "us");
        Report.Figure(workload, peer, "max", sorted[^1], "us");
    }
}
