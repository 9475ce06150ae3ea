using Pipeline.Backups;
using Pipeline.Backups.Manifests;
using Pipeline.Backups.Running;
using Pipeline.EtlKit.Backups;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Etl.Tests.Backups;

/// <summary>What a backup of a node of a cluster names, and what another node may continue.</summary>
public sealed class SharedBackupTests
{
    [Fact]
    public async Task A_scheduled_run_that_has_made_its_backup_makes_no_second_one()
    {
        await using var fixture = Shared();
        await fixture.PutAsync("things/1", "a");
        var first = await RunAsync(fixture, "full 2026-11-27T03:00:00Z");
        await fixture.PutAsync("things/2", "b");
        var again = await RunAsync(fixture, "full 2026-11-27T03:00:00Z");
        Assert.Equal(first.Id, again.Id);
        var other = await RunAsync(fixture, "full 2026-11-27T04:00:00Z");
        Assert.NotEqual(first.Id, other.Id);
        await using var repository = await fixture.RepositoryAsync();
        Assert.Equal(2, (await repository.ListAsync(static _ => { }, default)).Count);
    }

    [Fact]
    public async Task A_backup_of_one_node_names_what_it_continues_and_one_outside_of_a_cluster_does_not()
    {
        await using var fixture = Shared();
        await fixture.PutAsync("things/1", "a");
        var full = await fixture.BackUpAsync();
        await fixture.PutAsync("things/2", "b");
        var increment = await fixture.BackUpAsync();
        var empty = await fixture.BackUpAsync();
        Assert.Equal(
            [BackupKind.Full, BackupKind.Incremental, BackupKind.Incremental],
            [full.Kind, increment.Kind, empty.Kind]
        );
        Assert.NotNull(full.ToEntry);
        Assert.Equal(full.ToEntry, increment.FromEntry);
        Assert.NotEqual(full.ToEntry, increment.ToEntry);
        Assert.Equal((increment.ToEntry, increment.ToEntry), (empty.FromEntry, empty.ToEntry));
        await fixture.RestoreAsync("restored");

        await using var alone = new BackupFixture();
        await alone.PutAsync("things/1", "a");
        await alone.BackUpAsync();
        await alone.PutAsync("things/2", "b");
        var plain = await alone.BackUpAsync();
        Assert.Equal(
            (BackupKind.Incremental, 1, null, null),
            (plain.Kind, plain.Format, plain.FromEntry, plain.ToEntry)
        );
        foreach (var file in Directory.GetFiles(alone["bak"], "*.json", SearchOption.AllDirectories))
            Assert.DoesNotContain("Entry", await File.ReadAllTextAsync(file), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_chain_of_two_stores_holds_only_where_both_name_the_same_transaction()
    {
        await using var fixture = Shared();
        await fixture.PutAsync("things/1", "a");
        var full = await fixture.BackUpAsync();
        await fixture.PutAsync("things/2", "b");
        var next = (await fixture.BackUpAsync()) with { Store = Guid.NewGuid(), Format = 2 };
        Assert.True(BackupChain.TryOf(next, [full, next], out var chain, out _));
        Assert.Equal(2, chain.Count);
        foreach (
            var planted in new[]
            {
                next with
                {
                    FromEntry = new string('0', 64),
                },
                next with
                {
                    FromEntry = null,
                },
                next with
                {
                    From = next.From with { Transaction = next.From.Transaction - 1 },
                },
            }
        )
        {
            Assert.False(BackupChain.TryOf(planted, [full, planted], out _, out var missing));
            Assert.Contains("of another history", missing, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task The_journal_is_kept_from_before_the_newest_backups_last_transaction()
    {
        var time = new ManualTimeProvider();
        await using var fixture = new BackupFixture();
        var storage = fixture.Database.Storage;
        var keeper = new JournalKeeper(storage, time);
        var need = new JournalNeed("nightly", null, false);
        keeper.Look([need], NotRunning);
        var begin = Held();
        Assert.Equal(storage.LastCommittedTransaction, begin);

        // Before the first backup the hold follows a minute behind, unless a run has begun.
        var seen = await WriteAsync();
        time.Advance(TimeSpan.FromSeconds(59));
        keeper.Look([need], NotRunning);
        Assert.Equal(begin, Held());
        time.Advance(TimeSpan.FromSeconds(1));
        keeper.Look([need with { Begun = true }], NotRunning);
        Assert.Equal(begin, Held());
        keeper.Look([need], NotRunning);
        Assert.Equal(seen, Held());

        // A backup that ends with a transaction needs the transaction, so the hold stops before it.
        var before = await WriteAsync();
        var end = await WriteAsync();
        await WriteAsync();
        need = need with { Through = end };
        keeper.Look([need], _ => true);
        Assert.Equal(seen, Held());
        keeper.Look([need], NotRunning);
        Assert.Equal(before, Held());
        var found = JournalProof.TryHash(storage, storage.LogHolds[0].Position, end, default);
        Assert.NotNull(found);

        // A hold that was lost begins anew, and none moves back.
        storage.ReleaseLog(need.Hold);
        keeper.Look([need], NotRunning);
        Assert.Equal(storage.LastCommittedTransaction, Held());
        keeper.Look([need], NotRunning);
        Assert.Equal(storage.LastCommittedTransaction, Held());

        static bool NotRunning(string _) => false;

        long Held() => Assert.Single(storage.LogHolds).Position.Transaction;

        async Task<long> WriteAsync()
        {
            await fixture.PutAsync("things/1", Guid.NewGuid().ToString("n"));
            keeper.Look([], NotRunning);
            return storage.LastCommittedTransaction;
        }
    }

    [Fact]
    public void What_a_backup_needs_is_the_end_of_the_newest_one_at_the_destination_that_is_furthest_behind()
    {
        BackupRun[] runs =
        [
            Run(0, ("a", 10), ("b", 10), ("gone", 3)),
            Run(1, ("a", 20), ("b", null)),
            Run(2, ("a", 30), ("b", null), ("new", null)),
        ];
        Assert.Equal(new JournalNeed("nightly", 10, false), JournalNeed.Of("nightly", runs, Begun(2)));
        Assert.Equal(new JournalNeed("nightly", 10, true), JournalNeed.Of("nightly", runs, Begun(3)));
        Assert.Equal(new JournalNeed("other", null, false), JournalNeed.Of("other", runs, Begun(3)));

        static Dictionary<string, DateTimeOffset> Begun(int at) => new() { ["nightly"] = At(at) };

        static DateTimeOffset At(int hour) => new(2026, 11, 27, hour, 0, 0, TimeSpan.Zero);

        static BackupRun Run(int at, params (string Place, long? End)[] ends) =>
            new(
                "nightly",
                BackupJob.Incremental,
                null,
                At(at),
                At(at).AddMinutes(1),
                [
                    .. ends.Select(e => new BackupRunResult(e.Place, null, e.End is null ? "away" : null, 0, 0, 0)
                    {
                        Transaction = e.End ?? 0,
                    }),
                ]
            );
    }

    /// <summary>A database whose backups are made as at a node of a cluster.</summary>
    private static BackupFixture Shared()
    {
        var fixture = new BackupFixture();
        fixture.Options = fixture.Options with { IsShared = true };
        fixture.Database.Storage.HoldLog(BackupRunner.SharedHoldName(fixture.Definition.Name));
        return fixture;
    }

    private static async Task<BackupManifest> RunAsync(BackupFixture fixture, string run)
    {
        await using var runner = new BackupRunner(fixture.Definition, fixture.Database, fixture.Options);
        var result = Assert.Single((await runner.RunAsync(BackupKind.Full, run, null, default)).Destinations);
        Assert.Null(result.Error);
        return result.Backup!;
    }
}
