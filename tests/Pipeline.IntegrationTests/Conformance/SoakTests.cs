using System.Diagnostics;
using System.Globalization;
using System.Text.Json.Nodes;
using Pipeline.Etl.Connectors;
using Pipeline.IntegrationTests.Kills;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.IntegrationTests.Conformance;

/// <summary>
/// Rounds of changes, each with a worker that is killed and a broker that is killed and started again at random moments; then everything is read by a client of
/// somebody else's and compared with a model. A short form in every run; <c>PIPELINE_SOAK_MINUTES=10</c> goes on for that long.
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
        var minutes = double.TryParse(Environment.GetEnvironmentVariable("PIPELINE_SOAK_MINUTES"), CultureInfo.InvariantCulture, out var given) ? given : 0;
        var seed = minutes > 0 ? Environment.TickCount : 20261122;
        var random = new Random(seed);
        var target = await targets.UseAsync(kind);
        var destination = target.NewDestination();
        var configuration = Path.Combine(_folder, "pipeline.yaml");
        await File.WriteAllTextAsync(configuration, Configuration(kind, target.Options, destination));
        var model = new Dictionary<string, int>();
        var time = Stopwatch.StartNew();
        var (rounds, brokers) = (0, 0);
        for (; minutes > 0 ? time.Elapsed < TimeSpan.FromMinutes(minutes) : rounds < ShortRounds; rounds++)
        {
            await ImportAsync(configuration, rounds, random, model);
            var killing = target.HasNetwork && rounds % 2 == 0 ? KillBrokerAsync(target, TimeSpan.FromMilliseconds(random.Next(1_500))) : Task.CompletedTask;
            if (target.HasNetwork && rounds % 2 == 0) brokers++;
            await KilledWorker.RunAndKillAsync(configuration, TimeSpan.FromMilliseconds(random.Next(2_000)));
            await killing;
        }

        var finished = await KilledWorker.RunAsync("run", "--once", "--json", "--config", configuration);
        Assert.True(finished.ExitCode == 0, $"seed {seed}: {finished.Error}");
        var read = await target.ReadAsync(destination);
        var distinct = read.DistinctBy(r => r.Id).ToList();
        output.WriteLine($"{kind}: seed {seed}, {rounds} workers and {brokers} brokers killed in {time.Elapsed.TotalSeconds:0} s, {distinct.Count} messages, {read.Count - distinct.Count} repeats");
        if (target.IsExactlyOnce) Assert.Equal(distinct.Count, read.Count);

        // Of each document the last message is its last version, and versions come in order.
        var last = new Dictionary<string, int>();
        foreach (var body in distinct.Select(r => JsonNode.Parse(r.Body)!))
        {
            var (id, version) = (body["Id"]!.GetValue<string>(), body["Version"]!.GetValue<int>());
            Assert.True(!last.TryGetValue(id, out var before) || before < version, $"seed {seed}: {id} came in version {version} after {before}");
            last[id] = version;
        }

        Assert.Equal(model.OrderBy(m => m.Key, StringComparer.Ordinal), last.OrderBy(m => m.Key, StringComparer.Ordinal));
    }

    private static async Task KillBrokerAsync(ConformanceTarget target, TimeSpan moment)
    {
        await Task.Delay(moment);
        if (target.SurvivesKill) await target.Broker!.KillAsync();
        else await target.Broker!.StopAsync();
        await target.Broker.StartAsync();
    }

    /// <summary>New versions of some documents, stored while no worker runs.</summary>
    private async Task ImportAsync(string configuration, int round, Random random, Dictionary<string, int> model)
    {
        var file = Path.Combine(_folder, "changes.jsonl");
        var lines = new List<string>();
        for (var i = 0; i < Documents; i++)
        {
            var number = random.Next(Documents * 2);
            var id = "things/" + number;
            model[id] = model.GetValueOrDefault(id) + 1;
            lines.Add($$"""{"Version":{{model[id]}},"Key":"k{{number % Keys}}","Text":"{{new string('t', random.Next(300))}}","@metadata":{"@id":"{{id}}","@collection":"Things"} }""");
        }

        await File.WriteAllLinesAsync(file, lines);
        var imported = await KilledWorker.RunAsync("import", file, "--config", configuration);
        Assert.True(imported.ExitCode == 0, $"round {round}: {imported.Error}");
    }

    private static string Configuration(string kind, string options, string destination) => $$"""
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
