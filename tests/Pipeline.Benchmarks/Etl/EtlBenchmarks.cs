using System.Globalization;
using System.Text;
using Pipeline.Database;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Runner;
using Pipeline.Subscriptions;
using Pipeline.TestKit.Services;

namespace Pipeline.Benchmarks.Etl;

/// <summary>
/// Documents a second from the change feed through a C# transform to files and to Kafka, one task, beside the plain client loop in the same run.
/// Arguments: any of files kafka (default both), `--messages N` (default 200,000), `--rounds N` (default 3, after one that is not timed),
/// `--data FOLDER` with cities.jsonl.gz and movies.jsonl.gz (default ../shared/data).
/// </summary>
/// <remarks>As in the plain loop, connecting, the first transaction and making the input are outside the clock.</remarks>
public static class EtlBenchmarks
{
    private const int Warmup = 2_000;

    public static async Task<int> RunAsync(string[] arguments)
    {
        var targets = new List<string>();
        var (messages, rounds, data) = (200_000, 3, Path.Combine("..", "shared", "data"));
        for (var i = 0; i < arguments.Length; i++)
        {
            if (arguments[i] is "files" or "kafka") targets.Add(arguments[i]);
            else if (arguments[i] == "--data" && i + 1 < arguments.Length) data = arguments[++i];
            else if (arguments[i] == "--messages" && i + 1 < arguments.Length) messages = int.Parse(arguments[++i], CultureInfo.InvariantCulture);
            else if (arguments[i] == "--rounds" && i + 1 < arguments.Length) rounds = int.Parse(arguments[++i], CultureInfo.InvariantCulture);
            else throw new BenchmarkException($"'{arguments[i]}' is not an argument; targets: files kafka; --messages N, --rounds N, --data FOLDER");
        }

        MessageDocuments[] sets = [new(Path.Combine(data, "cities.jsonl.gz"), 200), new(Path.Combine(data, "movies.jsonl.gz"), 1024)];
        if (targets.Count == 0 || targets.Contains("files"))
        {
            for (var round = 0; round <= rounds; round++)
                foreach (var documents in sets) await RoundAsync(documents, messages, round, "pipeline-files", "out: { files: { directory: ./out } }");
        }

        if (targets.Count == 0 || targets.Contains("kafka"))
        {
            await using var service = new KafkaService();
            var servers = (await service.UseAsync()).Endpoint;
            for (var round = 0; round <= rounds; round++)
            {
                foreach (var documents in sets)
                {
                    var plain = await PlainKafkaLoop.RunAsync(servers, $"plain-{documents.Name}-{round}", documents, messages, 10_000, headers: false);
                    var plainHeaders = await PlainKafkaLoop.RunAsync(servers, $"plain-headers-{documents.Name}-{round}", documents, messages, 10_000, headers: true);
                    var ours = await RoundAsync(documents, messages, round, "pipeline-kafka", $"out: {{ kafka: {{ bootstrapServers: \"{servers}\", partitions: 1 }} }}");
                    var bare = await RoundAsync(documents, messages, round, "pipeline-kafka-bare", $"out: {{ kafka: {{ bootstrapServers: \"{servers}\", partitions: 1, cloudEvents: none }} }}");
                    if (round == 0) continue;
                    Report.Figure($"ETL-{documents.Name}", "pipeline-kafka-bare", "of-plain", bare / plain, "ratio");
                    Report.Figure($"ETL-{documents.Name}", "confluent-txn10000", "rate", plain, "1/s");
                    Report.Figure($"ETL-{documents.Name}", "confluent-txn10000-headers", "rate", plainHeaders, "1/s");
                    Report.Figure($"ETL-{documents.Name}", "pipeline-kafka", "of-plain", ours / plain, "ratio");
                    Report.Figure($"ETL-{documents.Name}", "pipeline-kafka", "of-plain-with-headers", ours / plainHeaders, "ratio");
                }
            }
        }

        return 0;
    }

    private static async Task<double> RoundAsync(MessageDocuments documents, int messages, int round, string peer, string connection)
    {
        var folder = Path.Combine(Path.GetTempPath(), $"pipeline-benchmarks-{Environment.ProcessId}");
        Folders.Wipe(folder);
        try
        {
            var topic = $"{peer}-{documents.Name}-{round}";
            var configuration = PipelineConfiguration.Parse(
                $$"""
                version: 1
                database: { name: bench, path: ./data }
                connections: { {{connection}} }
                etl:
                  - name: forward
                    from: [Documents]
                    to: out
                    transform: |
                      send("{{topic}}", doc, key: id);
                """,
                Path.Combine(folder, "pipeline.yaml"), EnvironmentVariables.Instance);
            await using var database = DocumentDatabase.Open(new DatabaseOptions { Path = Path.Combine(folder, "data") });
            var feed = new GatedFeed(new DatabaseChangeFeed(database));
            await StoreAsync(database, documents, 0, Warmup);
            await using var host = new EtlHost(EtlPlan.Create(configuration), feed);
            host.Start();
            await host.DrainAsync(database.LastPosition, CancellationToken.None);
            feed.Close();
            await StoreAsync(database, documents, Warmup, messages);

            var clock = new Clock();
            var allocated = GC.GetTotalAllocatedBytes();
            feed.Open();
            if (!await host.DrainAsync(database.LastPosition, CancellationToken.None)) throw new BenchmarkException("the task failed");
            var (seconds, cpu) = (clock.Seconds, clock.CpuSeconds);
            var status = host.GetStatus().Single();
            if (status.MessagesSent != Warmup + messages || status.DeadLetters != 0)
                throw new BenchmarkException($"{status.MessagesSent} messages and {status.DeadLetters} dead letters of {Warmup + messages}");
            if (round == 0) return messages / seconds;
            Report.Figure($"ETL-{documents.Name}", peer, "rate", messages / seconds, "1/s");
            Report.Figure($"ETL-{documents.Name}", peer, "cpu", cpu / messages * 1e6, "us/msg");
            Report.Figure($"ETL-{documents.Name}", peer, "allocated", (GC.GetTotalAllocatedBytes() - allocated) / (double)messages, "B/msg");
            return messages / seconds;
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static async Task StoreAsync(DocumentDatabase database, MessageDocuments documents, int from, int count)
    {
        await using var bulk = database.BeginBulkInsert();
        for (var i = from; i < from + count; i++)
        {
            var body = Encoding.UTF8.GetString(documents.Body(i));
            await bulk.StoreAsync(documents.Id(i), Encoding.UTF8.GetBytes($"{{\"@metadata\":{{\"@collection\":\"Documents\"}},{body.AsSpan(1)}"));
        }

        await bulk.CompleteAsync();
    }
}
