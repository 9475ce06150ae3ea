using System.Text;
using Pipeline.Documents;
using Pipeline.Documents.Maintenance;
using Pipeline.Storage;
using Pipeline.TestKit.Files;
using Pipeline.TestKit.Storage;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Database.Tests.Revisions;

public sealed class RevisionTests : IAsyncLifetime, IDisposable
{
    private readonly ManualTimeProvider _time = new();
    private readonly SimulatedDisk _disk = new();
    private DocumentDatabase? _database;

    public Task InitializeAsync() => Task.CompletedTask;

    public async Task DisposeAsync()
    {
        if (_database is not null)
            await _database.DisposeAsync();
    }

    public void Dispose() => _disk.Dispose();

    [Fact]
    public async Task Versions_and_deletions_are_read_newest_first_by_position_and_at_a_time()
    {
        var db = Open(new RevisionPolicy());
        var begin = _time.GetUtcNow();
        var first = await PutAsync("Orders/1", 1);
        await NextAsync("orders/1", 2);
        _time.Advance(TimeSpan.FromMinutes(1));
        Assert.True(await db.DeleteAsync("orders/1"));
        await NextAsync("ORDERS/1", 4);
        using var snapshot = db.OpenSnapshot();

        Assert.Equal(
            ["4:ORDERS/1 {\"N\":4}", "3:orders/1 deleted", "2:orders/1 {\"N\":2}", "1:Orders/1 {\"N\":1}"],
            snapshot.GetRevisions("orders/1").Select(Text)
        );
        Assert.Equal([3L, 2L], snapshot.GetRevisions("orders/1", 1, 2).Select(d => d.Position));
        Assert.Equal([4L], snapshot.GetRevisions("orders/1", 0, 1).Select(d => d.Position));
        Assert.Empty(snapshot.GetRevisions("orders/1", 4));
        Assert.Equal((4L, 0L), (snapshot.CountRevisions("ORDERS/1"), snapshot.CountRevisions("orders")));
        Assert.True(snapshot.TryGetRevision(first.ChangeVector, out var made));
        Assert.Equal("""{"N":1}""", made.Body.ToString());
        Assert.False(
            snapshot.TryGetRevision(first.ChangeVector.Replace("A:1-", "A:1-A", StringComparison.Ordinal), out _)
        );
        Assert.False(snapshot.TryGetByPosition(1, out _));
        Assert.Equal(
            (3L, 3L),
            (snapshot.GetStatistics().Revisions, Assert.Single(snapshot.GetStatistics().Collections).Revisions)
        );

        Assert.False(snapshot.TryGetRevisionAt("orders/1", begin - TimeSpan.FromTicks(1), out _));
        Assert.Equal(
            [1L, 1L, 2L, 3L, 4L],
            new[] { 0, 59, 60, 120, 180 }.Select(s => At(snapshot, begin.AddSeconds(s)))
        );
    }

    [Fact]
    public async Task Only_what_is_configured_is_kept_and_the_database_remembers_it()
    {
        var db = Open(null, ("Orders", new RevisionPolicy()), ("Quiet", new RevisionPolicy { Enabled = false }));
        foreach (var collection in (string[])["Orders", "Quiet", "Others"])
        {
            for (var n = 0; n < 2; n++)
                await PutAsync($"{collection}/1", n, collection);
        }

        await db.DisposeAsync();
        _database = db = DocumentDatabase.Open(
            new DatabaseOptions
            {
                Name = "test",
                Path = "/db",
                Files = _disk,
                TimeProvider = _time,
            }
        );
        await PutAsync("orders/1", 3, "orders");
        using (var snapshot = db.OpenSnapshot())
        {
            Assert.Equal(
                (3L, 1L, 1L),
                (
                    snapshot.CountRevisions("orders/1"),
                    snapshot.CountRevisions("quiet/1"),
                    snapshot.CountRevisions("others/1")
                )
            );
        }

        await db.Revisions.ConfigureAsync(new RevisionConfiguration { Default = new RevisionPolicy() });
        await PutAsync("others/1", 4, "Others");
        await PutAsync("@hilo/1", 1, "@hilo");
        await PutAsync("@hilo/1", 2, "@hilo");
        using var after = db.OpenSnapshot();
        Assert.Equal((2L, 1L), (after.CountRevisions("others/1"), after.CountRevisions("@hilo/1")));
    }

    [Theory]
    [InlineData(3, null, 3)]
    [InlineData(null, 150, 4)]
    [InlineData(2, 150, 4)]
    [InlineData(6, 150, 6)]
    [InlineData(1, null, 1)]
    public async Task What_is_over_is_removed_by_the_next_write(int? keep, int? seconds, int left)
    {
        var db = Open(new RevisionPolicy { Keep = keep, Age = seconds is { } s ? TimeSpan.FromSeconds(s) : null });
        for (var n = 0; n < 10; n++)
        {
            await PutAsync("orders/1", n);
            if (n < 9)
                _time.Advance(TimeSpan.FromMinutes(1));
        }

        using var snapshot = db.OpenSnapshot();
        Assert.Equal(left, snapshot.CountRevisions("orders/1"));
        Assert.Equal(
            Enumerable.Range(0, left).Select(i => 10L - i),
            snapshot.GetRevisions("orders/1").Select(d => d.Position)
        );
        Assert.Equal(left - 1, snapshot.GetStatistics().Revisions);
    }

    [Fact]
    public async Task Upkeep_removes_what_came_of_age_and_a_changed_configuration_does_not_want()
    {
        var db = Open(new RevisionPolicy { Age = TimeSpan.FromHours(1), Keep = 2 });
        for (var n = 0; n < 200; n++)
            await PutAsync($"orders/{n % 5}", n);
        Assert.Equal(0, await db.Revisions.TrimAsync());
        _time.Advance(TimeSpan.FromHours(1));

        // The background may have been first.
        await db.Revisions.TrimAsync();
        using (var snapshot = db.OpenSnapshot())
        {
            Assert.All(
                Enumerable.Range(0, 5),
                n => Assert.Equal([196L + n, 191L + n], snapshot.GetRevisions($"orders/{n}").Select(d => d.Position))
            );
        }

        await db.Revisions.ConfigureAsync(new RevisionConfiguration { Default = new RevisionPolicy { Keep = 1 } });
        Assert.Equal(5, await db.Revisions.TrimAsync());
        Assert.Equal(0, await db.Revisions.TrimAsync());
    }

    [Fact]
    public async Task The_upkeep_runs_by_itself()
    {
        var db = Open(new RevisionPolicy { Age = TimeSpan.FromMinutes(5) });
        await PutAsync("orders/1", 1);
        await PutAsync("orders/1", 2);
        using var timeout = new CancellationTokenSource(TimeSpan.FromSeconds(60));
        await RoundAsync();
        _time.Advance(TimeSpan.FromMinutes(10));
        await RoundAsync();
        using var snapshot = db.OpenSnapshot();
        Assert.Equal(1, snapshot.CountRevisions("orders/1"));

        async Task RoundAsync()
        {
            while (await _time.NextTimerAsync(timeout.Token) != TimeSpan.FromMinutes(10)) { }
        }
    }

    [Fact]
    public async Task A_deletion_purges_where_that_is_wanted()
    {
        var db = Open(new RevisionPolicy { PurgeOnDelete = true });
        for (var n = 0; n < 100; n++)
            await PutAsync("orders/1", n);
        await PutAsync("orders/2", 1);
        await PutAsync("orders/2", 2);
        await db.DeleteAsync("orders/1");
        using var snapshot = db.OpenSnapshot();
        Assert.Equal(["103:orders/1 deleted"], snapshot.GetRevisions("orders/1").Select(Text));
        Assert.Equal((2L, 1L), (snapshot.CountRevisions("orders/2"), snapshot.GetStatistics().Revisions));
    }

    [Fact]
    public async Task A_hold_keeps_what_its_reader_needs_until_it_moves()
    {
        var db = Open(new RevisionPolicy { Keep = 1 });
        await PutAsync("orders/1", 1);
        await PutAsync("orders/1", 2);
        await db.WriteAsync(t => t.HoldRevisions("reader", 2, ["ORDERS"]));
        for (var n = 3; n < 6; n++)
            await PutAsync("orders/1", n);
        for (var n = 3; n < 6; n++)
            await PutAsync("others/1", n, "Others");
        using (var snapshot = db.OpenSnapshot())
        {
            Assert.Equal([5L, 4L, 3L, 2L], snapshot.GetRevisions("orders/1").Select(d => d.Position));
            Assert.Equal(1, snapshot.CountRevisions("others/1"));
            Assert.Equal(2, Assert.Single(snapshot.GetRevisionHolds()).Position);
        }

        Assert.Equal(0, await db.Revisions.TrimAsync());
        await db.WriteAsync(t => t.HoldRevisions("reader", 4, ["orders"]));
        Assert.Equal(2, await db.Revisions.TrimAsync());
        await db.WriteAsync(t => Assert.True(t.ReleaseRevisions("reader")));
        Assert.Equal(1, await db.Revisions.TrimAsync());
    }

    [Fact]
    public async Task Every_version_is_read_with_the_one_before()
    {
        var db = Open(new RevisionPolicy());
        await PutAsync("orders/1", 1);
        await PutAsync("orders/2", 1);
        await PutAsync("orders/1", 2);
        await db.DeleteAsync("orders/1");
        await PutAsync("orders/1", 3);
        await PutAsync("orders/2", 2, "Archive");
        await PutAsync("orders/2", 3, "Archive");
        using var snapshot = db.OpenSnapshot();

        Assert.Equal(
            ["1 Put none", "2 Put none", "3 Put 1", "4 Delete 2", "5 Put none", "6 Leave 1"],
            Pairs(snapshot, ChangeFilter.Of(["Orders"], includeDeletes: true))
        );
        Assert.Equal(["7 Put 1", "8 Put 2"], Pairs(snapshot, ChangeFilter.Of(["archive"], includeDeletes: true)));
        Assert.Equal(
            ["1 Put none", "2 Put none", "3 Put 1", "4 Delete 2", "5 Put none", "7 Put 1", "8 Put 2"],
            Pairs(snapshot, ChangeFilter.AllWithDeletes)
        );
        Assert.Equal(
            ["1 Put none", "2 Put none", "3 Put 1", "5 Put none", "7 Put 1", "8 Put 2"],
            Pairs(snapshot, ChangeFilter.All)
        );
    }

    [Fact]
    public async Task A_version_that_is_gone_makes_the_one_before_unknown_and_never_another()
    {
        var db = Open(null, ("Orders", new RevisionPolicy()));
        await PutAsync("orders/1", 1);
        await PutAsync("orders/1", 2);
        await db.Revisions.ConfigureAsync(RevisionConfiguration.None);
        await PutAsync("orders/1", 3);
        await PutAsync("orders/1", 4);
        using var snapshot = db.OpenSnapshot();
        Assert.Equal(["1 Put none", "4 Put unknown"], Pairs(snapshot, ChangeFilter.All));
        Assert.Equal([4L, 1L], snapshot.GetRevisions("orders/1").Select(d => d.Position));
        Assert.False(snapshot.TryGetRevisionAt("orders/1", _time.GetUtcNow() - TimeSpan.FromSeconds(90), out _));
    }

    [Fact]
    public async Task Small_batches_give_the_same_versions()
    {
        var db = Open(new RevisionPolicy { Keep = 7 });
        var random = new Random(5);
        for (var n = 0; n < 300; n++)
        {
            if (random.Next(5) == 0)
                await db.DeleteAsync($"orders/{random.Next(8)}");
            else
                await PutAsync($"orders/{random.Next(8)}", n, random.Next(3) == 0 ? "Archive" : "Orders");
        }

        using var snapshot = db.OpenSnapshot();
        foreach (
            var filter in (ChangeFilter[])
                [
                    ChangeFilter.All,
                    ChangeFilter.AllWithDeletes,
                    ChangeFilter.Of(["Orders"], true),
                    ChangeFilter.Of(["Orders", "Archive"], false),
                ]
        )
        {
            List<string> whole = Pairs(snapshot, filter),
                parts = [];
            long after = 0;
            while (true)
            {
                using var batch = snapshot.ReadVersions(after, filter, new ChangeLimits(3, 1 << 20));
                parts.AddRange(Pairs(snapshot, batch));
                after = batch.Through;
                if (!batch.HasMore)
                    break;
            }

            Assert.Equal(snapshot.LastPosition, after);
            Assert.Equal(whole, parts);
            Assert.Equal(whole.Count, whole.Distinct().Count());
        }
    }

    [SkippableFact]
    public async Task Compressed_versions_are_read_and_checked()
    {
        Skip.IfNot(Zstd.IsAvailable, "The zstd library is not here.");
        using var folder = new TestFolder();
        await using (
            var db = DocumentDatabase.Open(
                new DatabaseOptions
                {
                    Path = folder.Path,
                    Compress = true,
                    Revisions = new RevisionConfiguration { Default = new RevisionPolicy() },
                }
            )
        )
        {
            var text = string.Concat(Enumerable.Repeat("all the same ", 40));
            for (var n = 0; n < 2000; n++)
                await db.PutAsync($"orders/{n % 500}", Encoding.UTF8.GetBytes($$"""{"Text":"{{text}}","N":{{n}}}"""));
            using var snapshot = db.OpenSnapshot();
            Assert.Equal(
                [1500L, 1000, 500, 0],
                snapshot.GetRevisions("orders/0").Select(d => d.Body.Root["N"].GetInt64())
            );
        }

        var report = DatabaseCheck.Run(new DatabaseOptions { Path = folder.Path });
        Assert.True(report.IsSound, string.Join("; ", report.Problems));
    }

    [Theory]
    [InlineData(0, 1.0)]
    [InlineData(-3, 1.0)]
    [InlineData(1, 0.0)]
    public async Task An_impossible_policy_is_refused(int keep, double seconds)
    {
        var db = Open(null);
        var policy = new RevisionPolicy { Keep = keep, Age = TimeSpan.FromSeconds(seconds) };
        await Assert.ThrowsAsync<ArgumentException>(() =>
            db.Revisions.ConfigureAsync(new RevisionConfiguration { Default = policy })
        );
    }

    internal static List<string> Pairs(DatabaseSnapshot snapshot, ChangeFilter filter)
    {
        using var batch = snapshot.ReadVersions(0, filter);
        return Pairs(snapshot, batch);
    }

    private static List<string> Pairs(DatabaseSnapshot snapshot, ChangeBatch batch)
    {
        List<string> pairs = [];
        foreach (var change in batch)
        {
            var known = snapshot.TryGetPrevious(change, out var previous);
            pairs.Add(
                $"{change.Position} {change.Kind} {(previous is not null ? previous.Body.Root["N"].ToString() : known ? "none" : "unknown")}"
            );
        }

        return pairs;
    }

    private static long At(DatabaseSnapshot snapshot, DateTimeOffset time) =>
        snapshot.TryGetRevisionAt("orders/1", time, out var found) ? found.Position : 0;

    private static string Text(Document document) =>
        $"{document.Position}:{document.Id} {(document.IsDeleted ? "deleted" : document.Body)}";

    private DocumentDatabase Open(RevisionPolicy? all, params (string Name, RevisionPolicy Policy)[] collections) =>
        _database = DocumentDatabase.Open(
            new DatabaseOptions
            {
                Name = "test",
                Path = "/db",
                Files = _disk,
                TimeProvider = _time,
                Revisions = new RevisionConfiguration
                {
                    Default = all,
                    Collections = collections.ToDictionary(c => c.Name, c => c.Policy),
                },
            }
        );

    /// <summary>A put one minute later.</summary>
    private Task<PutResult> NextAsync(string id, int n)
    {
        _time.Advance(TimeSpan.FromMinutes(1));
        return PutAsync(id, n);
    }

    private Task<PutResult> PutAsync(string id, int n, string collection = "Orders") =>
        _database!.PutAsync(
            id,
            Encoding.UTF8.GetBytes($$$"""{"N":{{{n}}},"@metadata":{"@collection":"{{{collection}}}"}}""")
        );
}
