using System.Diagnostics;
using System.Text.Json;
using System.Text.Json.Nodes;
using Consumers;
using Pipeline.Etl.Connectors;
using Pipeline.IntegrationTests.Kills;
using Pipeline.TestKit;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.IntegrationTests.Conformance;

/// <summary>
/// Rounds of changes; in each, a worker is killed, and a broker is killed and restarted, at random moments.
/// Then an independent client reads everything, the sample's durable inbox takes it, and every id and body is compared
/// with a model. Every run has a short form; <c>PIPELINE_SOAK_MINUTES=10</c> makes it last that long.
/// </summary>
[Collection(ConformanceCollection.Name)]
public sealed class SoakTests(ConformanceTargets targets, ITestOutputHelper output) : IDisposable
{
    private const int Documents = 400;
    private const int Keys = 23;
    private const int ShortRounds = 1;
    private readonly string _folder = Directory.CreateTempSubdirectory("pipeline-soak-").FullName;

    public static TheoryData<string> Kinds => ConnectorConformanceTests.Kinds;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [SkippableTheory]
    [MemberData(nameof(Kinds))]
    public async Task Nothing_is_lost_whatever_dies(string kind)
    {
        var minutes = RunSetting.Read("PIPELINE_SOAK_MINUTES", 0.0);
        var seed = minutes > 0 ? Environment.TickCount : 20261122;
        var random = new Random(seed);
        var target = await targets.UseAsync(kind);
        var destination = target.NewDestination();
        if (target.HasNetwork)
            await target.PrepareSoakAsync(destination);
        var configuration = Path.Combine(_folder, "pipeline.yaml");
        await File.WriteAllTextAsync(configuration, Configuration(kind, target.Options, destination));
        var model = new SoakModel();
        var time = Stopwatch.StartNew();
        var (rounds, brokers) = (0, 0);
        for (; minutes > 0 ? time.Elapsed < TimeSpan.FromMinutes(minutes) : rounds < ShortRounds; rounds++)
        {
            await ImportAsync(configuration, rounds, random, model);
            var (broker, worker, outlives) = (
                TimeSpan.FromMilliseconds(random.Next(1_500)),
                TimeSpan.FromMilliseconds(random.Next(2_000)),
                rounds % 2 == 1
            );
            var killing = Task.CompletedTask;
            await KilledWorker.RunAndKillAsync(
                configuration,
                async () =>
                {
                    if (target.HasNetwork)
                        killing = KillBrokerAsync(target, broker);
                    if (outlives)
                        await killing;
                    await Task.Delay(worker);
                }
            );
            await killing;
            if (target.HasNetwork)
                brokers++;
        }

        var finished = await KilledWorker.RunAsync("run", "--once", "--json", "--config", configuration);
        Assert.True(finished.ExitCode == 0, $"seed {seed}: {finished.Error}");
        var read = await target.ReadAsync(destination);
        var handled = await HandleAsync(read);
        output.WriteLine(
            $"{kind}: seed {seed}, {rounds} workers and {brokers} brokers killed in {time.Elapsed.TotalSeconds:0} s, {handled.Count} messages, {read.Count - handled.Count} repeats"
        );

        // Every message that is there, a repeat too, is what the model has at its id's position.
        foreach (var (id, text) in read)
        {
            var (change, body) = (model.Find(id), JsonNode.Parse(text)!);
            Assert.Equal(
                (change.Id, change.Version, change.Text),
                (body["Id"]!.GetValue<string>(), body["Version"]!.GetValue<int>(), body["Text"]!.GetValue<string>())
            );
            Assert.Equal(3, body.AsObject().Count);
        }

        if (target.IsExactlyOnce)
            Assert.Equal(read.Select(r => r.Id), handled);
        Assert.Equal(
            read.Select(r => r.Id).Distinct().Order(StringComparer.Ordinal),
            handled.Order(StringComparer.Ordinal)
        );
        var changes = handled.ConvertAll(model.Find);
        var lost = model.Required.Except(changes.Select(c => c.Position)).ToList();
        Assert.True(
            lost.Count == 0,
            $"seed {seed}: {lost.Count} are lost, the first of the change at {lost.FirstOrDefault()}"
        );
        foreach (var key in changes.GroupBy(c => c.Key))
        {
            Assert.True(
                key.Select(c => c.Position).SequenceEqual(key.Select(c => c.Position).Order()),
                $"seed {seed}: {key.Key} is out of order"
            );
        }
    }

    private static async Task KillBrokerAsync(ConformanceTarget target, TimeSpan moment)
    {
        await Task.Delay(moment);
        if (target.SurvivesKill)
            await target.Broker!.KillAsync();
        else
            await target.Broker!.StopAsync();
        await target.Broker.StartAsync();
    }

    /// <summary>
    /// Takes the messages as a consumer does that dies in the middle, a quarter of them not acknowledged.
    /// </summary>
    /// <returns>The ids of those that took effect, in that order, as the consumer's database has them.</returns>
    private async Task<List<string>> HandleAsync(List<(string Id, string Body)> read)
    {
        var folder = Path.Combine(_folder, "inbox");
        await using (var dying = MessageInbox.Open(folder))
        {
            foreach (var message in read[..(read.Count / 2)])
                await TakeAsync(dying, message);
        }

        await using var inbox = MessageInbox.Open(folder);
        foreach (var message in read[(read.Count / 4)..])
            await TakeAsync(inbox, message);
        using var snapshot = inbox.Database.OpenSnapshot();
        return [.. snapshot.GetByCollection("Handled").Select(d => d.Body.Root["MessageId"].GetString()!)];

        static Task TakeAsync(MessageInbox inbox, (string Id, string Body) message) =>
            inbox.HandleAsync(
                new ReceivedMessage("soak", message.Id, "", "", JsonDocument.Parse(message.Body).RootElement),
                (transaction, received) =>
                    transaction.Put(
                        "handled/" + Guid.NewGuid().ToString("N"),
                        JsonSerializer.SerializeToUtf8Bytes(
                            new Dictionary<string, object>
                            {
                                ["MessageId"] = received.Id,
                                ["@metadata"] = new Dictionary<string, string> { ["@collection"] = "Handled" },
                            }
                        )
                    )
            );
    }

    /// <summary>New documents, and new versions of old ones, stored while no worker runs.</summary>
    private async Task ImportAsync(string configuration, int round, Random random, SoakModel model)
    {
        var file = Path.Combine(_folder, "changes.jsonl");
        var lines = new List<string>();
        for (var i = 0; i < Documents; i++)
        {
            // Every second is changed again and again; the others never, so that each of their messages must be there.
            var number = i % 2 == 0 ? random.Next(Documents) : Documents + (round * Documents) + i;
            var bytes = new byte[random.Next(200)];
            random.NextBytes(bytes);
            var change = model.Add(
                $"things/{number}",
                $"k{number % Keys}",
                $"Ærø \"✓\" {Convert.ToBase64String(bytes)}"
            );
            lines.Add(
                JsonSerializer.Serialize(
                    new Dictionary<string, object>
                    {
                        ["Version"] = change.Version,
                        ["Key"] = change.Key,
                        ["Text"] = change.Text,
                        ["@metadata"] = new Dictionary<string, string>
                        {
                            ["@id"] = change.Id,
                            ["@collection"] = "Things",
                        },
                    }
                )
            );
        }

        await File.WriteAllLinesAsync(file, lines);
        var imported = await KilledWorker.RunAsync("import", file, "--config", configuration);
        Assert.True(imported.ExitCode == 0, $"round {round}: {imported.Error}");
        model.Start();
    }

    private static string Configuration(string kind, string options, string destination) =>
        $$"""
            version: 1
            database: { name: soak, path: ./data }
            server: { url: "http://127.0.0.1:0" }
            connections:
              target: { {{kind}}: {{options}} }
            etl:
              - name: soak
                from: [Things]
                to: target
                batch: { minDocuments: 10, maxDocuments: 50 }
                retry: { initialDelay: 50ms, maxDelay: 500ms, failedDelay: 1s }
                transform: |
                  send("{{destination}}", new { Id = id, doc.Version, doc.Text }, key: doc.Key);
            """;
}
