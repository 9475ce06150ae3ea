using System.Globalization;
using Pipeline.Benchmarks.Subscriptions;
using Pipeline.TestKit.Services;

namespace Pipeline.Benchmarks.Etl;

/// <summary>
/// Compares one ETL task with the plain client loops in the same run. Arguments (all by default):
/// `files` (rate), `transform` (a slow one, on one document at a time and on several at once),
/// `kafka` (rate from a backlog and live, compared with M1), `rabbitmq` (rate, compared with M2), `azure` (rate to
/// Azurite's queues), `latency` (when idle, to Kafka and RabbitMQ), `memory` (large documents to Kafka and RabbitMQ;
/// fails over the bound). `--messages N` (default 200,000; RabbitMQ gets a quarter of them, Azure queues a twentieth),
/// `--rounds N` (default 3, after one untimed round), `--data FOLDER` with cities.jsonl.gz and movies.jsonl.gz (default
/// ../shared/data).
/// </summary>
public static class EtlBenchmarks
{
    private const int BatchOfTransactions = 10_000;

    // Debezium 3 Server, PostgreSQL to Kafka, measured on a machine of two cores.
    private const double DebeziumBacklog = 20_000,
        DebeziumLive = 40_000,
        DebeziumIdle = 18_000;
    private static readonly string[] Groups = ["files", "transform", "kafka", "rabbitmq", "azure", "latency", "memory"];

    public static async Task<int> RunAsync(string[] arguments)
    {
        var wanted = new List<string>();
        var (messages, rounds, data) = (200_000, 3, Path.Combine("..", "shared", "data"));
        for (var i = 0; i < arguments.Length; i++)
        {
            if (Groups.Contains(arguments[i]))
            {
                wanted.Add(arguments[i]);
            }
            else if (arguments[i] == "--data" && i + 1 < arguments.Length)
            {
                data = arguments[++i];
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
                    $"'{arguments[i]}' is not an argument; groups: {string.Join(' ', Groups)}; --messages N, --rounds N, --data FOLDER"
                );
            }
        }

        bool Wants(params ReadOnlySpan<string> any) => wanted.Count == 0 || wanted.Any(any.ToArray().Contains);
        MessageDocuments[] sets =
        [
            new(Path.Combine(data, "cities.jsonl.gz"), 200),
            new(Path.Combine(data, "movies.jsonl.gz"), 1024),
        ];
        await using var kafka = Wants("kafka", "latency", "memory") ? new KafkaService() : null;
        await using var rabbit = Wants("rabbitmq", "latency", "memory") ? new RabbitMqService() : null;
        await using var azurite = Wants("azure") ? new AzureQueueService() : null;
        var servers = kafka is null ? "" : (await kafka.UseAsync()).Endpoint;
        var uri = rabbit is null ? "" : (await rabbit.UseAsync()).Endpoint;
        var account = azurite is null ? "" : (await azurite.UseAsync()).Endpoint;
        for (var round = 0; round <= rounds; round++)
        {
            if (Wants("files"))
            {
                foreach (var documents in sets)
                {
                    await EtlRate.RunAsync(
                        documents,
                        messages,
                        round > 0,
                        "pipeline-files",
                        "files: { directory: ./out }",
                        "files"
                    );
                }
            }

            if (Wants("transform"))
                await TransformRoundAsync(sets[0], messages / 4, round > 0);
            if (Wants("kafka"))
            {
                foreach (var documents in sets)
                    await KafkaRoundAsync(servers, documents, messages, round);
            }

            if (Wants("rabbitmq"))
            {
                foreach (var type in (string[])["classic", "quorum"])
                    await RabbitRoundAsync(uri, type, sets[1], messages / 4, round > 0);
            }

            if (Wants("azure"))
            {
                foreach (var documents in sets)
                {
                    await EtlRate.RunAsync(
                        documents,
                        messages / 20,
                        round > 0,
                        "pipeline-azure",
                        $"azureQueues: {{ connectionString: \"{account}\" }}",
                        $"etl-{Guid.NewGuid():N}"
                    );
                }
            }

            if (Wants("latency"))
                await LatencyRoundAsync(servers, uri, sets[1], round);
            if (Wants("memory"))
                await MemoryRoundAsync(servers, uri, round);
        }

        return 0;
    }

    private static async Task TransformRoundAsync(MessageDocuments documents, int messages, bool timed)
    {
        const string Slow =
            "long sum = 0; for (long i = 0; i < 5000; i++) sum += i * i; send(\"files\", new { Id = id, sum }, key: id);";
        Task<double> RateAsync(string peer, string more) =>
            EtlRate.RunAsync(
                documents,
                messages,
                timed,
                peer,
                "files: { directory: ./out }",
                "files",
                transform: Slow,
                more: more
            );
        var alone = await RateAsync("pipeline-parallel-1", ", parallel: 1");
        var atOnce = await RateAsync("pipeline-parallel", "");
        if (timed)
            Report.Figure($"ETL-{documents.Name}", "pipeline-parallel", "of-parallel-1", atOnce / alone, "ratio");
    }

    private static async Task KafkaRoundAsync(string servers, MessageDocuments documents, int messages, int round)
    {
        Task<double> OursAsync(string peer, string options, bool live = false) =>
            EtlRate.RunAsync(
                documents,
                messages,
                round > 0,
                peer,
                $"kafka: {{ bootstrapServers: \"{servers}\", partitions: 1{options} }}",
                $"{peer}-{documents.Name}-{round}",
                live
            );
        var plain = await PlainKafkaLoop.RunAsync(
            servers,
            $"plain-{documents.Name}-{round}",
            documents,
            messages,
            BatchOfTransactions,
            headers: false
        );
        var plainHeaders = await PlainKafkaLoop.RunAsync(
            servers,
            $"plain-headers-{documents.Name}-{round}",
            documents,
            messages,
            BatchOfTransactions,
            headers: true
        );
        var ours = await OursAsync("pipeline-kafka", "");
        var bare = await OursAsync("pipeline-kafka-bare", ", cloudEvents: none");
        var live = await OursAsync("pipeline-kafka-live", "", live: true);
        var bareLive = await OursAsync("pipeline-kafka-bare-live", ", cloudEvents: none", live: true);
        if (round == 0)
            return;
        var workload = $"ETL-{documents.Name}";
        Report.Figure(workload, "confluent-txn10000", "rate", plain, "1/s");
        Report.Figure(workload, "confluent-txn10000-headers", "rate", plainHeaders, "1/s");
        Report.Figure(workload, "pipeline-kafka-bare", "of-plain", bare / plain, "ratio");
        Report.Figure(workload, "pipeline-kafka", "of-plain", ours / plain, "ratio");
        Report.Figure(workload, "pipeline-kafka", "of-plain-with-headers", ours / plainHeaders, "ratio");
        Report.Figure(workload, "pipeline-kafka", "of-debezium-backlog", ours / DebeziumBacklog, "ratio");
        Report.Figure(workload, "pipeline-kafka-bare", "of-debezium-backlog", bare / DebeziumBacklog, "ratio");
        Report.Figure(workload, "pipeline-kafka-live", "of-debezium-live", live / DebeziumLive, "ratio");
        Report.Figure(workload, "pipeline-kafka-bare-live", "of-debezium-live", bareLive / DebeziumLive, "ratio");
    }

    private static async Task RabbitRoundAsync(
        string uri,
        string type,
        MessageDocuments documents,
        int messages,
        bool timed
    )
    {
        var (peer, queue) = ($"pipeline-rabbitmq-{type}", $"etl-{Guid.NewGuid():N}");
        var tracked = await PlainRabbitLoop.TrackedAsync(uri, type, documents, EtlRate.Warmup, messages);
        var counted = await PlainRabbitLoop.CountedAsync(
            uri,
            type,
            documents,
            EtlRate.Warmup,
            messages,
            headers: false
        );
        var ours = await EtlRate.RunAsync(
            documents,
            messages,
            timed,
            peer,
            $"rabbitmq: {{ uri: \"{uri}\", queueType: {type} }}",
            queue
        );
        await DeleteAsync(uri, queue);
        var bare = await EtlRate.RunAsync(
            documents,
            messages,
            timed,
            peer + "-bare",
            $"rabbitmq: {{ uri: \"{uri}\", queueType: {type}, cloudEvents: none }}",
            queue
        );
        await DeleteAsync(uri, queue);
        var withHeaders = await PlainRabbitLoop.CountedAsync(
            uri,
            type,
            documents,
            EtlRate.Warmup,
            messages,
            headers: true
        );
        if (!timed)
            return;
        var workload = $"ETL-{documents.Name}";
        Report.Figure(workload, $"rabbitmq-{type}-tracked", "rate", tracked, "1/s");
        Report.Figure(workload, $"rabbitmq-{type}-counted", "rate", counted, "1/s");
        Report.Figure(workload, $"rabbitmq-{type}-counted-headers", "rate", withHeaders, "1/s");
        Report.Figure(workload, peer + "-bare", "of-tracked", bare / tracked, "ratio");
        Report.Figure(workload, peer + "-bare", "of-counted", bare / counted, "ratio");
        Report.Figure(workload, peer, "of-tracked", ours / tracked, "ratio");
        Report.Figure(workload, peer, "of-counted", ours / counted, "ratio");
        Report.Figure(workload, peer, "of-counted-with-headers", ours / withHeaders, "ratio");
    }

    private static async Task LatencyRoundAsync(string servers, string uri, MessageDocuments documents, int round)
    {
        var timed = round > 0;
        var (paced, often) = (TimeSpan.FromMilliseconds(50), TimeSpan.FromMilliseconds(10));
        var (few, many) = timed ? (300, 1_000) : (60, 200);
        var plain = await EtlLatency.KafkaTransactionsAsync(servers, $"idle-plain-{round}", documents, few, paced);
        if (timed)
        {
            SubscriptionBenchmarks.ReportLatencies("ETL-idle", "confluent-txn1", plain);
            Report.Figure("ETL-idle", "debezium (measured elsewhere)", "p50", DebeziumIdle, "us");
        }

        await EtlLatency.RunAsync(
            "pipeline-kafka",
            $"kafka: {{ bootstrapServers: \"{servers}\", partitions: 1 }}",
            $"idle-{round}",
            documents,
            few,
            paced,
            timed
        );
        foreach (var type in (string[])["classic", "quorum"])
        {
            var confirms = await PlainRabbitLoop.LatencyAsync(uri, type, documents, many);
            if (timed)
                SubscriptionBenchmarks.ReportLatencies("ETL-idle", $"rabbitmq-{type}-one-by-one", confirms);
            var queue = $"etl-{Guid.NewGuid():N}";
            await EtlLatency.RunAsync(
                $"pipeline-rabbitmq-{type}",
                $"rabbitmq: {{ uri: \"{uri}\", queueType: {type} }}",
                queue,
                documents,
                many,
                often,
                timed
            );
            await DeleteAsync(uri, queue);
        }
    }

    private static async Task MemoryRoundAsync(string servers, string uri, int round)
    {
        foreach (var documents in (int[])[200, 800])
        {
            await EtlMemory.RunAsync(
                "pipeline-kafka",
                $"kafka: {{ bootstrapServers: \"{servers}\", partitions: 1 }}",
                $"large-{round}-{documents}",
                documents,
                round > 0
            );
            var queue = $"etl-{Guid.NewGuid():N}";
            await EtlMemory.RunAsync(
                "pipeline-rabbitmq",
                $"rabbitmq: {{ uri: \"{uri}\" }}",
                queue,
                documents,
                round > 0
            );
            await DeleteAsync(uri, queue);
        }
    }

    private static async Task DeleteAsync(string uri, string queue)
    {
        await using var connection = await RabbitPeer.ConnectAsync(uri);
        await RabbitPeer.DeleteAsync(connection, queue);
    }
}
