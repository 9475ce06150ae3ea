using System.Text;
using Pipeline.Database.Indexes;
using Pipeline.Documents;
using Pipeline.Documents.Maintenance;
using Pipeline.TestKit.Files;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Database.Tests;

public sealed class ConsumerTests
{
    private readonly ManualTimeProvider _time = new();

    [Fact]
    public async Task Tombstones_stay_until_every_consumer_has_passed_them()
    {
        await using var database = Open();
        await PutAsync(database, "As", 1, 10);
        for (var i = 1; i <= 5; i++)
            await database.DeleteAsync($"As/{i}");
        await PutAsync(database, "Bs", 1, 1);
        await database.Consumers.SetAsync(Consumer("fast", deletes: true));
        await database.Consumers.SetAsync(Consumer("slow", deletes: true));
        await database.Consumers.SetAsync(Consumer("blind", deletes: false));
        Assert.Equal(0, await database.Consumers.PurgeAsync());

        await MoveAsync(database, "fast", """{"position":16}""");
        await MoveAsync(database, "slow", """{"position":12}""");
        Assert.Equal(2, await database.Consumers.PurgeAsync());
        Assert.Equal([13L, 14, 15], Tombstones(database));
        var slow = database.Consumers.GetStatus().Single(s => s.Name == "subscription/slow");
        Assert.Equal((12L, 12L, 3L, true), (slow.Position, slow.KeepsAfter, slow.HeldTombstones, slow.IsSlowest));
        Assert.True(slow.HeldTombstoneBytes > 0);
        Assert.Equal(0, database.Consumers.GetStatus().Single(s => s.Name == "subscription/blind").HeldTombstones);

        // A consumer that released its hold keeps nothing; one that reads a snapshot first keeps the changes after it.
        await MoveAsync(database, "slow", """{"position":12,"keepAfter":null}""");
        Assert.Equal(3, await database.Consumers.PurgeAsync());
        using var snapshot = database.OpenSnapshot();
        Assert.Equal((15L, 16L), (snapshot.PurgedThrough, snapshot.LastPosition));
    }

    [Fact]
    public async Task An_index_that_is_behind_keeps_tombstones_and_is_counted()
    {
        await using var database = Open();
        await PutAsync(database, "As", 1, 4);
        await database.Indexes.PutAsync(
            new IndexDefinition { Name = "I", Maps = ["from a in docs.As select new { a.N }"] }
        );
        Assert.True(await database.Indexes.WaitAsync("I"));
        await database.Indexes.SetStateAsync("I", IndexState.Paused);
        await database.DeleteAsync("As/1");
        await PutAsync(database, "As", 5, 5);
        Assert.Equal(0, await database.Consumers.PurgeAsync());
        var index = Assert.Single(database.Consumers.GetStatus());
        Assert.Equal(
            ("index/I", 4L, 1L, 2L),
            (index.Name, index.Position, index.HeldTombstones, index.Pending.Changes)
        );
        await database.Indexes.SetStateAsync("I", IndexState.Normal);
        Assert.True(await database.Indexes.WaitAsync("I"));
        Assert.Equal(1, await database.Consumers.PurgeAsync());
    }

    [Fact]
    public async Task The_last_position_is_never_given_again()
    {
        using var folder = new TestFolder();
        await using (var database = Open(folder.Path))
        {
            await PutAsync(database, "As", 1, 3);
            for (var i = 1; i <= 3; i++)
                await database.DeleteAsync($"As/{i}");
            Assert.Equal(2, await database.Consumers.PurgeAsync());
        }

        await using var again = Open(folder.Path);
        Assert.Equal(6, again.LastPosition);
        Assert.Equal(7, (await again.PutAsync("As/1", Json("As", 1))).Position);
        Assert.Equal(1, await again.Consumers.PurgeAsync() + Tombstones(again).Length);
    }

    [Fact]
    public async Task A_deleted_document_with_former_versions_keeps_its_tombstone()
    {
        await using var database = DocumentDatabase.Open(
            new DatabaseOptions
            {
                Name = "test",
                TimeProvider = _time,
                TombstonePurgeInterval = TimeSpan.Zero,
                Revisions = new RevisionConfiguration
                {
                    Collections = new Dictionary<string, RevisionPolicy> { ["As"] = new RevisionPolicy() },
                },
            }
        );
        await PutAsync(database, "As", 1, 2);
        await PutAsync(database, "Bs", 1, 2);
        foreach (var id in (string[])["As/1", "Bs/1"])
            await database.DeleteAsync(id);
        await PutAsync(database, "Bs", 3, 3);
        Assert.Equal(1, await database.Consumers.PurgeAsync());
        Assert.Equal([5L], Tombstones(database));
        using var snapshot = database.OpenSnapshot();
        Assert.Equal([true, false], snapshot.GetRevisions("As/1").Select(d => d.IsDeleted));
    }

    [Fact]
    public async Task Purging_happens_by_itself()
    {
        await using var database = Open(interval: TimeSpan.FromMinutes(5));
        await PutAsync(database, "As", 1, 2);
        await database.DeleteAsync("As/1");
        await PutAsync(database, "As", 3, 3);
        var position = database.LastPosition;
        _time.Advance(TimeSpan.FromMinutes(5));
        while (Tombstones(database).Length > 0)
            await Task.Yield();

        Assert.Equal(position, database.LastPosition);
    }

    /// <summary>
    /// Random puts, deletes and moves between collections: after a purge, every consumer that is not behind reads the
    /// same as before it.
    /// </summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public async Task A_purge_changes_nothing_for_those_who_are_not_behind(int seed)
    {
        using var folder = new TestFolder();
        var random = new Random(seed);
        await using (var database = Open(folder.Path))
        {
            await database.Consumers.SetAsync(Consumer("c", deletes: true));
            for (var round = 0; round < 20; round++)
            {
                for (var i = 0; i < 30; i++)
                {
                    var id = $"d/{random.Next(25)}";
                    if (random.Next(3) == 0)
                        await database.DeleteAsync(id);
                    else
                        await database.PutAsync(id, Json("ABC"[random.Next(3)].ToString(), i));
                }

                var position = random.NextInt64(database.LastPosition + 1);
                await MoveAsync(database, "c", $$"""{"position":{{position}}}""");
                string[] all = Read(database, position, ChangeFilter.AllWithDeletes),
                    one = Read(database, position, ChangeFilter.Of(["a"], includeDeletes: true));
                var documents = Read(database, 0, ChangeFilter.All);
                await database.Consumers.PurgeAsync();
                Assert.Equal(all, Read(database, position, ChangeFilter.AllWithDeletes));
                Assert.Equal(one, Read(database, position, ChangeFilter.Of(["a"], includeDeletes: true)));
                Assert.Equal(documents, Read(database, 0, ChangeFilter.All));
                Assert.DoesNotContain(Tombstones(database), p => p <= position && p < database.LastPosition);
            }
        }

        var report = DatabaseCheck.Run(new DatabaseOptions { Path = folder.Path });
        Assert.True(report.IsSound, string.Join("; ", report.Problems));
    }

    [Fact]
    public async Task What_waits_is_counted_when_it_is_little_and_estimated_when_it_is_much()
    {
        await using var database = Open();
        await using (var bulk = database.BeginBulkInsert())
        {
            for (var i = 0; i < 40_000; i++)
                await bulk.StoreAsync($"d/{i}", Json(i % 4 == 0 ? "As" : "Bs", i));
            await bulk.CompleteAsync();
        }

        // The first half of the positions is thinned out.
        await database.WriteAsync(t =>
        {
            for (var i = 0; i < 20_000; i += 2)
                t.Delete($"d/{i}");
        });
        using var snapshot = database.OpenSnapshot();
        var few = snapshot.MeasureChanges(snapshot.LastPosition - 1_000, ChangeFilter.AllWithDeletes);
        Assert.Equal((1_000L, 1_000L, true), (few.Changes, few.Tombstones, few.IsExact));
        Check(0, ChangeFilter.AllWithDeletes);
        Check(0, ChangeFilter.All);
        Check(0, ChangeFilter.Of(["as"]));
        Check(15_000, ChangeFilter.Of(["as", "bs"], includeDeletes: true));
        Assert.Equal(ChangeBacklog.None, snapshot.MeasureChanges(snapshot.LastPosition, ChangeFilter.All));

        void Check(long after, ChangeFilter filter)
        {
            using var batch = snapshot.ReadChanges(after, filter, new ChangeLimits(100_000, 1 << 28));
            var measured = snapshot.MeasureChanges(after, filter);
            Assert.False(measured.IsExact);
            Assert.InRange(measured.Changes / (double)batch.Count, 0.95, 1.05);
            Assert.InRange((measured.Tombstones + 1) / (double)(batch.Count(c => c.IsDeleted) + 1), 0.95, 1.05);
            Assert.Equal(batch[0].LastModified, measured.Oldest);
        }
    }

    [Fact]
    public async Task A_consumer_is_as_old_as_its_oldest_change_but_no_older_than_itself()
    {
        await using var database = Open();
        await PutAsync(database, "As", 1, 1);
        _time.Advance(TimeSpan.FromHours(1));
        await database.Consumers.SetAsync(Consumer("late", deletes: false) with { Since = _time.GetUtcNow() });
        await database.Consumers.SetAsync(Consumer("early", deletes: false));
        _time.Advance(TimeSpan.FromHours(2));
        using var held = database.OpenSnapshot("subscription early");
        ConsumerStatus early = database.Consumers.Measure("subscription/Early")!,
            late = database.Consumers.Measure("subscription/late")!;
        Assert.Equal((3 * 3600d, 2 * 3600d), (early.AgeSeconds, late.AgeSeconds));
        Assert.Equal((1L, true), (early.Pending.Changes, early.Pending.Bytes > 0));
        _time.Advance(TimeSpan.FromSeconds(7));
        Assert.Equal(7d, database.Consumers.Measure("subscription/early")!.SnapshotAgeSeconds, 3);
        await MoveAsync(database, "early", """{"position":1}""");
        Assert.Equal(
            (0L, 0d),
            (
                database.Consumers.Measure("subscription/early")!.Pending.Changes,
                database.Consumers.Measure("subscription/early")!.AgeSeconds
            )
        );
        Assert.True(await database.Consumers.RemoveAsync("subscription/LATE"));
        Assert.Null(database.Consumers.Measure("subscription/late"));
    }

    [Fact]
    public async Task A_kept_measurement_is_as_old_as_its_beginning()
    {
        var time = new SlowTime();
        await using var database = DocumentDatabase.Open(new DatabaseOptions { Name = "test", TimeProvider = time });
        await PutAsync(database, "As", 1, 1);
        await database.Consumers.SetAsync(Consumer("one", deletes: false));
        time.Step = TimeSpan.FromSeconds(2);
        Assert.Equal(1, Assert.Single(database.Consumers.GetStatus()).Pending.Changes);
        time.Step = TimeSpan.Zero;
        await PutAsync(database, "As", 2, 2);
        Assert.Equal(2, Assert.Single(database.Consumers.GetStatus(TimeSpan.FromSeconds(1))).Pending.Changes);
        Assert.Equal(2, Assert.Single(database.Consumers.GetStatus(TimeSpan.FromSeconds(1))).Pending.Changes);
    }

    /// <summary>A clock that goes on by <see cref="Step"/> whenever the time of day is read.</summary>
    private sealed class SlowTime : TimeProvider
    {
        private readonly ManualTimeProvider _time = new();

        public TimeSpan Step { get; set; }

        public override long TimestampFrequency => _time.TimestampFrequency;

        public override long GetTimestamp() => _time.GetTimestamp();

        public override DateTimeOffset GetUtcNow()
        {
            _time.Advance(Step);
            return _time.GetUtcNow();
        }
    }

    private DocumentDatabase Open(string? path = null, TimeSpan interval = default) =>
        DocumentDatabase.Open(
            new DatabaseOptions
            {
                Name = "test",
                Path = path,
                TimeProvider = _time,
                TombstonePurgeInterval = interval,
            }
        );

    private static FeedConsumer Consumer(string name, bool deletes) =>
        new()
        {
            Name = "subscription/" + name,
            PositionKey = "p/" + name,
            Deletes = deletes,
        };

    private static Task MoveAsync(DocumentDatabase database, string name, string state) =>
        database.WriteAsync(t => t.SetState("p/" + name, Encoding.UTF8.GetBytes(state)));

    private static async Task PutAsync(DocumentDatabase database, string collection, int from, int to)
    {
        for (var i = from; i <= to; i++)
            await database.PutAsync($"{collection}/{i}", Json(collection, i));
    }

    private static byte[] Json(string collection, int n) =>
        Encoding.UTF8.GetBytes($$$"""{"N":{{{n}}},"@metadata":{"@collection":"{{{collection}}}"}}""");

    private static long[] Tombstones(DocumentDatabase database)
    {
        using var snapshot = database.OpenSnapshot();
        using var batch = snapshot.ReadChanges(
            0,
            ChangeFilter.Of(snapshot.GetStatistics().Collections.Select(c => c.Name), includeDeletes: true)
        );
        return [.. batch.Where(c => c.IsDeleted).Select(c => c.Position)];
    }

    private static string[] Read(DocumentDatabase database, long after, ChangeFilter filter)
    {
        using var snapshot = database.OpenSnapshot();
        using var batch = snapshot.ReadChanges(after, filter);
        return [.. batch.Select(c => $"{c.Position} {c.Kind} {c.Id} {c.Collection}")];
    }
}
