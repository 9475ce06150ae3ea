using System.Globalization;
using System.Text.Json;
using Pipeline.IntegrationTests.Independent;
using Pipeline.IntegrationTests.WholePath;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.IntegrationTests.Kills;

/// <summary>
/// <c>kill -9</c> of <c>pipeline run</c> twenty times at seeded moments in the middle of 100,000 documents, then <c>run
/// --once</c>. An independent reader must find all messages, in order per key and without repeats (with RabbitMQ: once
/// repeated ids are dropped).
/// </summary>
[Collection(BrokerTests.Name)]
public sealed class KillTests(Services services, ITestOutputHelper output) : IDisposable
{
    private const int Documents = 100_000;
    private const int Keys = 97;
    private const int Kills = 20;
    private const int Seed = 20261121;

    private readonly string _folder = Directory.CreateTempSubdirectory("pipeline-kills-").FullName;

    [SkippableFact]
    public async Task To_Kafka_a_reader_of_committed_messages_sees_each_message_exactly_once()
    {
        var kcat = KafkaReader.Require();
        var servers = (await services.Kafka.UseAsync()).Endpoint;
        var topic = "kills-" + Guid.NewGuid().ToString("N");
        await KillAndFinishAsync(topic, $"kafka: {{ bootstrapServers: \"{servers}\" }}", batch: 100);

        var read = await KafkaReader.ReadAllAsync(kcat, servers, topic);

        Assert.Equal(Documents, read.Count);
        Check([.. read.Select(Parse)]);
    }

    [SkippableFact]
    public async Task To_RabbitMQ_each_message_arrives_and_repeats_have_the_same_id()
    {
        var python = RabbitMqReader.Require();
        var uri = (await services.RabbitMq.UseAsync()).Endpoint;
        var queue = "kills-" + Guid.NewGuid().ToString("N");
        await KillAndFinishAsync(queue, $"rabbitmq: {{ uri: \"{uri}\" }}", batch: 100);

        var read = await RabbitMqReader.ReadAllAsync(python, uri, queue);

        output.WriteLine($"{read.Count - Documents} repeats of {read.Count} messages");
        Check(WithoutRepeats([.. read.Select(Parse)]));
    }

    [Fact]
    public async Task To_files_each_message_is_there_exactly_once()
    {
        await KillAndFinishAsync("items", "files: { directory: ./out }", batch: 25);

        var messages = File.ReadLines(Path.Combine(_folder, "out", "items.jsonl"))
            .Select(line =>
            {
                using var json = JsonDocument.Parse(line);
                var data = json.RootElement.GetProperty("data");
                return new Message(
                    json.RootElement.GetProperty("id").GetString()!,
                    data.GetProperty("N").GetInt32(),
                    data.GetProperty("Key").GetString()!
                );
            })
            .ToList();
        Assert.Equal(Documents, messages.Count);
        Check(messages);
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private async Task KillAndFinishAsync(string destination, string connection, int batch)
    {
        var (import, slow, fast) = (
            Path.Combine(_folder, "items.jsonl"),
            Path.Combine(_folder, "slow.yaml"),
            Path.Combine(_folder, "fast.yaml")
        );
        await File.WriteAllLinesAsync(import, Enumerable.Range(0, Documents).Select(Line));
        await File.WriteAllTextAsync(slow, Configuration(destination, connection, batch));
        await File.WriteAllTextAsync(fast, Configuration(destination, connection, 10_000));
        var imported = await KilledWorker.RunAsync("import", import, "--config", slow);
        Assert.True(imported.ExitCode == 0, imported.Error);

        var random = new Random(Seed);
        for (var kill = 0; kill < Kills; kill++)
        {
            Assert.True(
                await KilledWorker.RunAndKillAsync(slow, TimeSpan.FromMilliseconds(random.Next(700))),
                $"it ended before kill {kill} of seed {Seed}"
            );
        }

        var finished = await KilledWorker.RunAsync("run", "--once", "--json", "--config", fast);
        Assert.True(finished.ExitCode == 0, finished.Error);
        output.WriteLine(finished.Output);
    }

    private static string Configuration(string destination, string connection, int batch) =>
        $$"""
            version: 1
            database: { name: kills, path: ./data }
            server: { url: "http://127.0.0.1:0" }
            connections:
              target: { {{connection}} }
            etl:
              - name: items
                from: [Items]
                to: target
                batch: { minDocuments: {{Math.Min(batch, 256)}}, maxDocuments: {{batch}} }
                transform: |
                  send("{{destination}}", new { doc.N, doc.Key }, key: doc.Key);
            """;

    private static string Line(int n) =>
        string.Create(
            CultureInfo.InvariantCulture,
            $$$"""{"N":{{{n}}},"Key":"key-{{{n % Keys}}}","Text":"{{{new string('t', n % 150)}}}","@metadata":{"@id":"items/{{{n}}}","@collection":"Items"}}"""
        );

    private static Message Parse(Received received)
    {
        var message = new Message(
            received.Attributes["id"],
            received.Body["N"]!.GetValue<int>(),
            received.Body["Key"]!.GetValue<string>()
        );
        if (received.Key is not null)
            Assert.Equal(message.Key, received.Key);
        return message;
    }

    private static List<Message> WithoutRepeats(List<Message> messages)
    {
        var seen = new Dictionary<string, int>();
        var first = new List<Message>();
        foreach (var message in messages)
        {
            if (seen.TryAdd(message.Id, message.N))
                first.Add(message);
            else
                Assert.Equal(seen[message.Id], message.N);
        }

        return first;
    }

    /// <summary>
    /// Each document once, no id twice, and each key's documents in the order in which they were stored.
    /// </summary>
    private static void Check(List<Message> messages)
    {
        Assert.Equal(Documents, messages.Select(m => m.N).Distinct().Count());
        Assert.Equal(messages.Count, messages.Select(m => m.Id).Distinct().Count());
        Assert.Equal(Documents, messages.Count);
        foreach (var key in messages.GroupBy(m => m.Key))
            Assert.True(key.Select(m => m.N).SequenceEqual(key.Select(m => m.N).Order()), $"{key.Key} is out of order");
    }

    private sealed record Message(string Id, int N, string Key);
}
