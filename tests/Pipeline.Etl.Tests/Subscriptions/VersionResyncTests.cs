using System.Text;
using System.Text.Json;
using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Subscriptions;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Etl.Tests.Subscriptions;

/// <summary>
/// Subscriptions to versions that fell too far behind, and the versions that the database keeps for them until they are
/// read.
/// </summary>
public sealed class VersionResyncTests : IAsyncLifetime
{
    private readonly ManualTimeProvider _time = new();
    private readonly DocumentDatabase _database;
    private SubscriptionHost _host;

    public VersionResyncTests()
    {
        _database = DocumentDatabase.Open(
            new DatabaseOptions
            {
                Name = "test",
                TimeProvider = _time,
                TombstonePurgeInterval = TimeSpan.Zero,
                Revisions = new RevisionConfiguration
                {
                    Collections = new Dictionary<string, RevisionPolicy>
                    {
                        ["Orders"] = new() { Keep = 3 },
                        ["Notes"] = new() { Keep = 1 },
                    },
                },
            }
        );
        _host = OpenHost();
    }

    public Task InitializeAsync() => Task.CompletedTask;

    public async Task DisposeAsync()
    {
        await _host.DisposeAsync();
        await _database.DisposeAsync();
    }

    [Fact]
    public async Task A_resync_gives_every_version_that_is_kept_and_the_deletions_behind_them()
    {
        await _host.CreateAsync(Definition("from Orders (Revisions = true)"));
        for (var n = 1; n <= 2; n++)
            await PutAsync("orders/1", n);
        await _database.DeleteAsync("orders/1");
        for (var n = 1; n <= 5; n++)
            await PutAsync("orders/2", n);
        _time.Advance(TimeSpan.FromHours(2));
        await _host.CheckLagAsync();

        // Nothing is held for it any more, so the policy has its way.
        using (var snapshot = _database.OpenSnapshot())
            Assert.Empty(snapshot.GetRevisionHolds());
        Assert.Equal(3, await CountTrimmedAsync("orders/2"));
        await using var worker = await _host.ConnectAsync("s");
        var begin = (await worker.NextAsync())!;
        Assert.Equal(ResyncPhase.Begin, begin.Resync);
        await begin.AcknowledgeAsync();
        await PutAsync("orders/2", 6);
        Assert.Equal(4, await CountTrimmedAsync("orders/2"));
        List<string> given = [];
        while (await worker.NextAsync(untilEmpty: true) is { } batch)
        {
            if (batch.Resync == ResyncPhase.End)
                given.Add("end");
            given.AddRange(batch.Select(Text));
            await batch.AcknowledgeAsync();
        }

        Assert.Equal(
            [
                "orders/1 Put 1 after none",
                "orders/1 Put 2 after 1",
                "orders/1 Delete none after 2",
                "orders/2 Put 3 after unknown",
                "orders/2 Put 4 after 3",
                "orders/2 Put 5 after 4",
                "end",
                "orders/2 Put 6 after 5",
            ],
            given
        );
    }

    /// <summary>
    /// A table built from the pairs equals the database in the end, despite purges, trims, crashes and resyncs. How many
    /// changes a batch has depends on how far the subscription has read, so rounds go on until two resyncs were begun.
    /// </summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    public async Task A_consumer_of_versions_ends_with_what_the_database_has(int seed)
    {
        var random = new Random(seed);
        var table = new Dictionary<string, long>();
        HashSet<string>? stale = null;
        var last = new Dictionary<string, long>();
        var begun = 0;
        await _host.CreateAsync(Definition("from Orders (Revisions = true)"));
        for (var round = 0; round < 50 || begun < 2; round++)
        {
            Assert.True(round < 2_000, $"{begun} resyncs");
            for (var i = random.Next(8); i > 0; i--)
            {
                var id = $"orders/{random.Next(12)}";
                if (random.Next(4) == 0)
                    await _database.DeleteAsync(id);
                else
                    await PutAsync(id, (round * 100) + i);
            }

            if (random.Next(5) == 0)
            {
                _time.Advance(TimeSpan.FromHours(2));
                await _host.CheckLagAsync();
            }

            await _database.Consumers.PurgeAsync();
            await _database.Revisions.TrimAsync();
            await using (var worker = await ConnectAsync())
            {
                for (var i = random.Next(5); i > 0; i--)
                {
                    if (await worker.NextAsync(untilEmpty: true) is not { } batch || random.Next(5) == 0)
                        break;
                    Apply(batch);
                    await batch.AcknowledgeAsync();
                }
            }

            if (random.Next(3) > 0)
                continue;
            await _host.DisposeAsync();
            _host = OpenHost();
        }

        await using (var final = await ConnectAsync())
        {
            await foreach (var batch in final.ReadAllAsync(untilEmpty: true))
            {
                Apply(batch);
                await batch.AcknowledgeAsync();
            }
        }

        using var snapshot = _database.OpenSnapshot();
        Assert.Equal(
            snapshot
                .GetInIdOrder("Orders")
                .OrderBy(d => d.Id, StringComparer.Ordinal)
                .Select(d => $"{d.Id} {d.Body.Root["N"].GetInt64()}"),
            table.OrderBy(t => t.Key, StringComparer.Ordinal).Select(t => $"{t.Key} {t.Value}")
        );

        Task<SubscriptionWorker> ConnectAsync() =>
            _host.ConnectAsync("s", new SubscriptionWorkerOptions { MaxBatchCount = 4 });

        void Apply(SubscriptionBatch batch)
        {
            if (batch.Resync == ResyncPhase.Begin)
            {
                begun++;
                stale = [.. table.Keys];
                last.Clear();
            }

            foreach (var item in batch)
            {
                Assert.True(item.Position > last.GetValueOrDefault(item.Id), $"{item.Id} goes back to {item.Position}");
                last[item.Id] = item.Position;
                if (item.Kind == ChangeKind.Put)
                    table[item.Id] = item.Body.Root["N"].GetInt64();
                else
                    table.Remove(item.Id);
                stale?.Remove(item.Id);
            }

            if (batch.Resync != ResyncPhase.End)
                return;
            foreach (var id in stale!)
                table.Remove(id);
            stale = null;
        }
    }

    [Fact]
    public async Task What_is_kept_for_a_consumer_is_counted_in_versions_bytes_and_seconds()
    {
        await _host.CreateAsync(new SubscriptionDefinition { Name = "s", Query = "from Notes (Revisions = true)" });
        await _host.CreateAsync(
            new SubscriptionDefinition { Name = "orders", Query = "from Orders (Revisions = true)" }
        );
        for (var n = 1; n <= 4; n++)
            await PutAsync("notes/1", n, "Notes");
        await PutAsync("notes/2", 1, "Notes");
        for (var n = 1; n <= 3; n++)
            await PutAsync("orders/1", n);
        _time.Advance(TimeSpan.FromMinutes(5));
        ConsumerStatus notes = Status("s"),
            orders = Status("orders");

        // Of the notes three former versions stay for it alone; the orders' policy keeps theirs anyway.
        Assert.Equal(
            (3L, 5L, 300d, 300d),
            (notes.HeldVersions, notes.Pending.Changes, notes.HeldAgeSeconds, notes.AgeSeconds)
        );
        Assert.InRange(notes.HeldVersionBytes, 3 * 20, 3 * 200);
        Assert.Equal(notes.HeldVersionBytes, notes.HeldBytes);
        Assert.Equal((0L, 3L, 0L), (orders.HeldVersions, orders.Pending.Changes, orders.HeldVersionBytes));
        Assert.Equal(4, await CountTrimmedAsync("notes/1"));
        await using (var worker = await _host.ConnectAsync("s", new SubscriptionWorkerOptions { MaxBatchCount = 2 }))
        {
            await (await worker.NextAsync())!.AcknowledgeAsync();
            Assert.Equal((2L, 3L), (Status("s").HeldVersions, Status("s").Pending.Changes));
            while (await worker.NextAsync(untilEmpty: true) is { } batch)
                await batch.AcknowledgeAsync();
        }

        Assert.Equal((0L, 0L, 0d), (Status("s").HeldVersions, Status("s").Pending.Changes, Status("s").HeldAgeSeconds));
        Assert.Equal(1, await CountTrimmedAsync("notes/1"));
    }

    [Fact]
    public async Task Many_versions_are_estimated()
    {
        await _host.CreateAsync(new SubscriptionDefinition { Name = "s", Query = "from Notes (Revisions = true)" });
        for (var round = 0; round < 20; round++)
        {
            await _database.WriteAsync(t =>
            {
                for (var i = 0; i < 1_000; i++)
                    t.Put($"notes/{i}", Body(round, "Notes"));
            });
        }

        var status = Status("s");
        Assert.InRange(status.HeldVersions, 17_000, 21_000);
        Assert.InRange(status.Pending.Changes, 18_000, 22_000);
        Assert.False(status.Pending.IsExact);
    }

    /// <summary>How many versions are left; the upkeep may have trimmed them before.</summary>
    private async Task<long> CountTrimmedAsync(string id)
    {
        await _database.Revisions.TrimAsync();
        using var snapshot = _database.OpenSnapshot();
        return snapshot.CountRevisions(id);
    }

    private static string Text(SubscriptionItem item) =>
        $"{item.Id} {item.Kind} {(item.Kind == ChangeKind.Delete ? "none" : item.Body.Root["N"].ToString())} after {(!item.PreviousIsKnown ? "unknown" : item.Previous is { } p ? p.Body.Root["N"].ToString() : "none")}";

    private SubscriptionHost OpenHost() =>
        SubscriptionHost.Open(
            _database,
            new SubscriptionHostOptions { Time = _time, CheckInterval = TimeSpan.FromDays(40) }
        );

    private ConsumerStatus Status(string name) => Assert.Single(_host.GetStatus(name)).Consumer!;

    private static SubscriptionDefinition Definition(string query) =>
        new()
        {
            Name = "s",
            Query = query,
            MaxLag = new LagPolicy { Age = TimeSpan.FromHours(1), Then = LagAction.PauseAndResync },
        };

    private Task<PutResult> PutAsync(string id, int n, string collection = "Orders") =>
        _database.PutAsync(id, Body(n, collection));

    private static byte[] Body(int n, string collection) =>
        Encoding.UTF8.GetBytes($$$"""{"N":{{{n}}},"@metadata":{"@collection":"{{{collection}}}"}}""");
}
