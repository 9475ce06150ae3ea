using System.Text;
using Pipeline.Backups.Manifests;
using Pipeline.Backups.Restoring;
using Pipeline.Configuration;
using Pipeline.Database;
using Pipeline.Database.Indexes;
using Pipeline.Documents;
using Pipeline.Documents.Events;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Resuming;
using Pipeline.Etl.Runner;
using Pipeline.Etl.Tests.Runner;
using Pipeline.EtlKit.Backups;
using Pipeline.Json;
using Pipeline.Storage;
using Pipeline.Subscriptions;
using Pipeline.Yaml;
using Xunit;

namespace Pipeline.Etl.Tests.Backups;

/// <summary>
/// Random changes while ETL, a subscription and an index run, with backups at random moments.
/// A restore to a random position gives the database as it was then, and ETL continues from there.
/// </summary>
public sealed class BackupPropertyTests
{
    private const string Task = """
        version: 1
        database: { name: shop, path: . }
        connections: { c: { fake: } }
        etl:
          - name: all
            from: [Things]
            to: c
            transform: |
              send("out", new { Id = id, doc.N }, key: id);
        """;

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public async Task A_restore_to_any_position_is_the_database_as_it_was_and_etl_neither_loses_nor_repeats(int seed)
    {
        var random = new Random(seed);
        await using var fixture = new BackupFixture();
        var documents = new SortedDictionary<long, State> { [0] = new State([], [], [], []) };
        var broker = new FakeBroker();
        await using (
            var database = DocumentDatabase.Open(
                new DatabaseOptions
                {
                    Name = "shop",
                    Path = fixture["live"],
                    Indexing = new IndexingOptions { Enabled = true },
                }
            )
        )
        {
            await database.Indexes.PutAsync(
                new IndexDefinition { Name = "ByN", Maps = ["from t in docs.Things select new { t.N }"] }
            );
            await using var subscriptions = SubscriptionHost.Open(database, new SubscriptionHostOptions());
            await subscriptions.EnsureAsync(new SubscriptionDefinition { Name = "things", Query = "from Things" });
            await using var runner = new Pipeline.Backups.Running.BackupRunner(
                fixture.Definition,
                database,
                fixture.Options
            );
            await using (var etl = Host(database, broker))
            {
                etl.Start();
                var model = new State([], [], [], []);
                for (var i = 0; i < 150; i++)
                {
                    var id = $"things/{random.Next(25)}";
                    if (random.Next(6) == 0)
                    {
                        await ChangeAnotherWayAsync(database, model, random, i);
                    }
                    else if (random.Next(4) == 0)
                    {
                        await database.DeleteAsync(id);
                        model.Documents.Remove(id);
                        model.Attachments.Remove(id);
                    }
                    else
                    {
                        await database.PutAsync(
                            id,
                            Encoding.UTF8.GetBytes(
                                $$"""{"N":{{i}},"Text":"{{new string('x', random.Next(6_000))}}","@metadata":{"@collection":"Things"} }"""
                            )
                        );
                        model.Documents[id] = i;
                    }
                    documents[database.LastPosition] = model.Copy();
                    if (random.Next(25) == 0)
                        Assert.True((await runner.RunAsync(random.Next(4) == 0 ? BackupKind.Full : null)).Succeeded);
                    if (random.Next(60) == 0)
                        await etl.DrainAsync(database.LastPosition, default);
                }
            }
            Assert.True((await runner.RunAsync()).Succeeded);
        }

        await using var repository = await fixture.RepositoryAsync();
        var all = await repository.ListAsync(e => throw e, default);
        var chain = all.Where(m => m.Kind == BackupKind.Full).MinBy(m => m.To.Transaction)!;
        for (var i = 0; i < 4; i++)
        {
            var position = random.NextInt64(chain.To.Position, all[^1].To.Position + 1);
            RestoreReport report;
            try
            {
                report = await fixture.RestoreAsync($"r{i}", new RestorePoint { Position = position });
            }
            catch (Pipeline.Backups.BackupException e)
                when (e.Message.Contains("no backup reaches", StringComparison.Ordinal))
            {
                // Between the end of one chain and the full backup of the next there is nothing to apply.
                Assert.DoesNotContain(
                    all.GroupBy(m => m.Kind == BackupKind.Full ? m.Id : RootOf(m, all)),
                    g => g.Min(m => m.To.Position) <= position && g.Max(m => m.To.Position) >= position
                );
                continue;
            }
            Assert.InRange(report.Reached.Position, 0, position);
            await AssertIsAsync(
                fixture,
                $"r{i}",
                report.Reached.Position,
                documents[documents.Keys.Last(k => k <= report.Reached.Position)]
            );
        }
    }

    /// <summary>
    /// Documents as the model has them; ETL then brings a broker that knew all up to its stored position to the same.
    /// </summary>
    private static async Task AssertIsAsync(BackupFixture fixture, string folder, long position, State state)
    {
        var model = state.Documents;
        await using var restored = DocumentDatabase.Open(
            new DatabaseOptions
            {
                Name = "shop",
                Path = fixture[folder],
                Indexing = new IndexingOptions { Enabled = true },
            }
        );
        Assert.Equal(position, restored.LastPosition);
        Assert.True(StorageChecker.Check(restored.Storage).IsSound);
        long after;
        using (var snapshot = restored.OpenSnapshot())
        {
            Assert.Equal(
                model.OrderBy(m => m.Key, StringComparer.Ordinal).Select(m => (m.Key, (long)m.Value)),
                snapshot
                    .GetByCollection("Things")
                    .OrderBy(d => d.Id, StringComparer.Ordinal)
                    .Select(d => (d.Id, d.Body.Root["N"].GetInt64()))
            );
            AssertHas(snapshot, state);
            after = ((IChangeFeed)new DatabaseChangeFeed(restored))
                .OpenCursor("etl/all", new CursorFilter(null, false))
                .Position;
        }
        Assert.InRange(after, 0, position);
        List<string> expected;
        using (var snapshot = restored.OpenSnapshot())
        {
            expected =
            [
                .. snapshot
                    .GetByCollection("Things")
                    .Where(d => d.Position > after)
                    .OrderBy(d => d.Position)
                    .Select(d => $"{d.Id} {d.Body.Root["N"].GetInt64()}"),
            ];
        }

        var broker = new FakeBroker();
        await using (var etl = Host(restored, broker))
        {
            etl.Start();
            if (after > 0)
            {
                // What the target has got since is not known, so a person decides.
                Assert.False(await etl.DrainAsync(restored.LastPosition, default));
                Assert.Equal(EtlTaskState.Blocked, etl.GetStatus()[0].State);
                await new ResumeService(restored).ResumeAsync(PlanOf(broker).Tasks[0].Task, "position");
                etl.Wake("all");
            }
            using var timeout = new CancellationTokenSource(RunnerFixture.Timeout);
            while (!await etl.DrainAsync(restored.LastPosition, timeout.Token))
            {
                // A resumed task may not have noticed yet.
                timeout.Token.ThrowIfCancellationRequested();
                await System.Threading.Tasks.Task.Yield();
            }
        }

        Assert.Equal(
            expected,
            broker
                .Bodies()
                .Select(b => System.Text.Json.JsonDocument.Parse(b).RootElement)
                .Select(e => $"{e.GetProperty("Id").GetString()} {e.GetProperty("N").GetInt64()}")
        );
        Assert.Equal(broker.Ids().Distinct(), broker.Ids());
        await using var subscriptions = SubscriptionHost.Open(restored, new SubscriptionHostOptions());
        Assert.Equal("things", Assert.Single(subscriptions.GetStatus()).Name);
        Assert.True(await restored.Indexes.WaitAsync("ByN", restored.LastPosition, TimeSpan.FromSeconds(30)));
        Assert.Equal(model.Count, restored.Indexes.Get("ByN")!.Entries);
    }

    /// <summary>
    /// Attachments, events and compare-exchange values, which are in other trees than documents. An attachment's
    /// document is the one that the model says.
    /// </summary>
    private static async Task ChangeAnotherWayAsync(DocumentDatabase database, State model, Random random, int number)
    {
        switch (random.Next(3))
        {
            case 0 when model.Documents.Count > 0:
                var id = model.Documents.Keys.ElementAt(random.Next(model.Documents.Count));
                var content = new byte[random.Next(1, 40_000)];
                random.NextBytes(content);
                await database.Attachments.PutAsync(id, "photo", new MemoryStream(content));
                model.Attachments[id] = Convert.ToBase64String(content);
                break;
            case 1:
                var stream = $"account-{random.Next(3)}";
                await database.Events.AppendAsync(
                    stream,
                    [
                        new EventData
                        {
                            Payload = Encoding.UTF8.GetBytes($"{number}"),
                            SerializerId = 7,
                            Manifest = "m",
                            Tags = ["t"],
                        },
                    ]
                );
                model.Events[stream] = [.. model.Events.GetValueOrDefault(stream, []), number];
                break;
            default:
                var key = $"key-{random.Next(4)}";
                await database.WriteAsync(t =>
                    t.PutCompareExchange(
                        key,
                        BinaryJson.Parse(Encoding.UTF8.GetBytes($"{number}")),
                        t.GetCompareExchange(key)?.Index ?? 0
                    )
                );
                model.Values[key] = number;
                break;
        }
    }

    private static void AssertHas(DatabaseSnapshot snapshot, State state)
    {
        foreach (var id in state.Documents.Keys)
        {
            var there = snapshot.GetAttachments(id);
            Assert.Equal(state.Attachments.ContainsKey(id) ? 1 : 0, there.Count);
            if (there.Count == 0)
                continue;
            using var content = new MemoryStream();
            using (var stored = snapshot.OpenAttachment(there[0]))
                stored.CopyTo(content);
            Assert.Equal(state.Attachments[id], Convert.ToBase64String(content.ToArray()));
        }
        Assert.Equal(
            state.Events.Keys.Order(StringComparer.Ordinal),
            snapshot.ReadStreams().Select(s => s.StreamId).Order(StringComparer.Ordinal)
        );
        foreach (var (stream, numbers) in state.Events)
        {
            using var batch = snapshot.ReadStream(stream);
            Assert.Equal(
                numbers,
                batch.Select(e =>
                    int.Parse(
                        Encoding.UTF8.GetString(e.Payload.Span),
                        System.Globalization.CultureInfo.InvariantCulture
                    )
                )
            );
        }
        Assert.Equal(
            state.Values.OrderBy(v => v.Key, StringComparer.Ordinal).Select(v => (v.Key, (long)v.Value)),
            snapshot.GetCompareExchangeByPrefix("").Select(v => (v.Key, v.Value.Root.GetInt64()))
        );
    }

    private static EtlHost Host(DocumentDatabase database, FakeBroker broker) =>
        new(PlanOf(broker), new DatabaseChangeFeed(database), new EtlHostOptions { Seed = 1 });

    private static EtlPlan PlanOf(FakeBroker broker) =>
        PipelineConfiguration
            .Parse(Task, "f.yaml", FixedVariables.None, new ConnectorCatalog([new FakeDefinition(broker)]))
            .CreatePlan();

    private static string RootOf(BackupManifest backup, IReadOnlyList<BackupManifest> all) =>
        BackupChain.TryOf(backup, all, out var chain, out _) ? chain[0].Id : backup.Id;

    private sealed record State(
        Dictionary<string, int> Documents,
        Dictionary<string, string> Attachments,
        Dictionary<string, List<int>> Events,
        Dictionary<string, int> Values
    )
    {
        public State Copy() => new(new(Documents), new(Attachments), new(Events), new(Values));
    }
}
