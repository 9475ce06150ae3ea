using Pipeline.Backups;
using Pipeline.Backups.Chunks;
using Pipeline.Backups.Destinations;
using Pipeline.Backups.Drills;
using Pipeline.Backups.Manifests;
using Pipeline.Backups.Restoring;
using Pipeline.Backups.Retention;
using Pipeline.Backups.Running;
using Pipeline.EtlKit.Backups;
using Pipeline.Storage;
using Xunit;

namespace Pipeline.Etl.Tests.Backups;

public sealed class BackupFaultTests
{
    private static BackupFixture Fixture(MemoryDestination destination)
    {
        var fixture = new BackupFixture(with: d =>
            d with
            {
                Parallel = 1,
                Retention = new RetentionPolicy { Keep = 1 },
            }
        );
        fixture.Options = fixture.Options with { Wrap = _ => destination };
        return fixture;
    }

    [Theory]
    [InlineData(BackupKind.Full)]
    [InlineData(BackupKind.Incremental)]
    public async Task Killed_at_any_step_each_backup_that_is_listed_is_whole_and_the_next_run_goes_on(BackupKind kind)
    {
        var crashed = 0;
        for (var step = 1; ; step++)
        {
            var destination = new MemoryDestination();
            await using var fixture = Fixture(destination);
            for (var i = 0; i < 12; i++)
                await fixture.PutAsync($"things/{i}", new string('a', 3_000 * i));
            await fixture.BackUpAsync();
            await fixture.PutAsync("things/3", "changed");
            var before = destination.Operations;
            var at = step;
            destination.Fault = (n, _) => n == before + at ? new SimulatedCrash() : null;
            var dies = false;
            try
            {
                await fixture.RunAsync(kind);
            }
            catch (SimulatedCrash)
            {
                dies = true;
                crashed++;
            }
            destination.Fault = static (_, _) => null;
            await fixture.ReopenAsync();
            await AssertEachRestoresAsync(fixture, $"crash-{step}");
            await fixture.PutAsync("things/4", "changed, too");
            var next = await fixture.BackUpAsync();
            await fixture.RestoreAsync($"after-{step}", new RestorePoint { Backup = next.Id });
            await using var restored = fixture.Open($"after-{step}", new StorageOptions());
            Assert.Equal(BackupFixture.Fingerprint(fixture.Database), BackupFixture.Fingerprint(restored));
            if (!dies)
                break;
        }
        Assert.True(crashed > 8, $"{crashed} steps");
    }

    [Fact]
    public async Task A_full_backup_that_was_broken_off_does_not_send_again_what_it_had_sent()
    {
        var destination = new MemoryDestination();
        await using var fixture = Fixture(destination);
        fixture.Definition = fixture.Definition with { Compression = ChunkCompression.None };
        for (var i = 0; i < 200; i++)
            await fixture.PutAsync($"things/{i}", new string((char)('a' + (i % 26)), 100_000));
        fixture.Database.Storage.Flush();
        var puts = 0;
        destination.Fault = (_, what) =>
            what.StartsWith("put done chunks", StringComparison.Ordinal) && ++puts == 4 ? new SimulatedCrash() : null;
        await Assert.ThrowsAsync<SimulatedCrash>(() => fixture.RunAsync(BackupKind.Full));
        var sent = destination
            .Objects.Where(o => o.Key.StartsWith("chunks/", StringComparison.Ordinal))
            .Sum(o => (long)o.Value.Length);
        Assert.True(sent > 12 << 20);
        destination.Fault = static (_, _) => null;

        var backup = await fixture.BackUpAsync(BackupKind.Full);

        // The pages that hold no document change with every start.
        Assert.True(
            backup.SentBytes <= backup.StoredBytes - sent + (5 << 20),
            $"{backup.SentBytes} of {backup.StoredBytes} bytes were sent, {sent} were there"
        );
    }

    [Fact]
    public async Task Damaged_missing_and_swapped_chunks_are_found_by_verify_and_refused_by_restore()
    {
        foreach (
            var damage in new Action<MemoryDestination, string, string>[]
            {
                static (d, one, _) => d.Objects[one][^1] ^= 1,
                static (d, one, _) => d.Objects[one] = d.Objects[one][..^7],
                (d, one, other) => Assert.True(d.Objects.TryRemove(one, out var gone)),
                static (d, one, other) => (d.Objects[one], d.Objects[other]) = (d.Objects[other], d.Objects[one]),
                static (d, one, _) => d.Objects[one] = [],
            }
        )
        {
            var destination = new MemoryDestination();
            await using var fixture = Fixture(destination);
            for (var i = 0; i < 100; i++)
            {
                await fixture.PutAsync(
                    $"things/{i}",
                    Convert.ToHexString(System.Security.Cryptography.RandomNumberGenerator.GetBytes(40_000))
                );
            }

            await fixture.BackUpAsync();
            var chunks = destination
                .Objects.Where(o => o.Key.StartsWith("chunks/", StringComparison.Ordinal))
                .OrderByDescending(o => o.Value.Length)
                .Select(o => o.Key)
                .ToList();
            damage(destination, chunks[0], chunks[1]);

            await using (var repository = await fixture.RepositoryAsync())
            {
                var report = await new BackupVerifier(repository).VerifyAsync(removeDamaged: true);
                Assert.False(report.IsSound);
                Assert.Contains(chunks[0][(chunks[0].LastIndexOf('/') + 1)..], report.Problems[0]);
                Assert.False((await repository.VerificationsAsync(default)).Values.Single().Ok);
            }
            await Assert.ThrowsAsync<ChunkDamagedException>(() => fixture.RestoreAsync("bad"));
            Assert.False(File.Exists(fixture["bad/pipeline.data"]));
            // What was taken away is sent again.
            await fixture.BackUpAsync(BackupKind.Full);
            await fixture.RestoreAsync("good");
        }
    }

    [Fact]
    public async Task A_manifest_that_is_damaged_or_misplaced_is_no_backup_and_keeps_retention_from_removing_chunks()
    {
        var destination = new MemoryDestination();
        await using var fixture = Fixture(destination);
        await fixture.PutAsync("things/1", "a");
        var first = await fixture.BackUpAsync();
        var name = $"manifests/{first.Id}.json";
        var whole = destination.Objects[name];
        foreach (
            var bytes in new[]
            {
                whole[..^20],
                [.. whole.Select((b, i) => i == whole.Length / 2 ? (byte)(b ^ 1) : b)],
                [],
            }
        )
        {
            destination.Objects[name] = bytes;
            await using var repository = await fixture.RepositoryAsync();
            var damaged = new List<ManifestDamagedException>();
            Assert.Empty(await repository.ListAsync(damaged.Add, default));
            Assert.Single(damaged);
            await Assert.ThrowsAnyAsync<BackupException>(() => fixture.RestoreAsync("none"));
        }
        destination.Objects["manifests/20200101-000000-full-1.json"] = whole;
        await using (var repository = await fixture.RepositoryAsync())
        {
            Assert.Contains(
                "misplaced",
                (
                    await Assert.ThrowsAsync<ManifestDamagedException>(() =>
                        repository.FindAsync("20200101-000000-full-1", default)
                    )
                ).Message
            );
        }

        var next = await fixture.BackUpAsync();
        Assert.Equal(BackupKind.Full, next.Kind);
        await fixture.RestoreAsync("again", new RestorePoint { Backup = next.Id });
    }

    [Fact]
    public async Task A_full_destination_is_an_error_and_a_refusing_one_is_tried_again()
    {
        var destination = new MemoryDestination();
        await using var fixture = Fixture(destination);
        await fixture.PutAsync("things/1", "a");
        destination.Fault = (_, what) =>
            what.StartsWith("put chunks", StringComparison.Ordinal)
                ? new DestinationException("memory", what, "no space is left", isTransient: false)
                : null;
        var report = await fixture.RunAsync();
        Assert.Contains("no space is left", report.Destinations[0].Error!.Message);
        Assert.DoesNotContain(destination.Objects.Keys, k => k.StartsWith("manifests/", StringComparison.Ordinal));

        var refused = new HashSet<string>(StringComparer.Ordinal);
        destination.Fault = (_, what) =>
            refused.Add(what) ? new DestinationException("memory", what, "slow down", isTransient: true) : null;
        var backup = await fixture.BackUpAsync();
        destination.Fault = static (_, _) => null;
        Assert.True(refused.Count > 5);
        Assert.Equal(BackupKind.Full, backup.Kind);
        await fixture.RestoreAsync("again");
    }

    [Fact]
    public async Task A_full_backup_stays_while_increments_need_it_and_chunks_of_what_stays_are_kept()
    {
        var destination = new MemoryDestination();
        await using var fixture = Fixture(destination);
        var ids = new List<string>();
        for (var i = 0; i < 6; i++)
        {
            await fixture.PutAsync($"things/{i}", new string('a', 1000 * i));
            ids.Add((await fixture.BackUpAsync(i % 3 == 0 ? BackupKind.Full : BackupKind.Incremental)).Id);
        }
        await using var repository = await fixture.RepositoryAsync();
        Assert.Equal(ids[3..], (await repository.ListAsync(e => throw e, default)).Select(m => m.Id));
        // All chunks are younger than a day; without that grace those of the first chain go.
        var sweep = await RetentionSweep.RunAsync(
            repository,
            new RetentionPolicy { Keep = 1 },
            DateTimeOffset.UtcNow.AddDays(2),
            TimeSpan.FromDays(1),
            TimeZoneInfo.Utc,
            default
        );
        Assert.Empty(sweep.Removed);
        Assert.True((await new BackupVerifier(repository).VerifyAsync()).IsSound);
        await AssertEachRestoresAsync(fixture, "kept");
    }

    [Fact]
    public async Task Over_the_limit_of_kept_journal_the_next_backup_is_a_full_one_and_says_why()
    {
        await using var fixture = new BackupFixture(
            new StorageOptions
            {
                MaxHeldJournalBytes = 1 << 20,
                MaxJournalFileBytes = 1 << 20,
                FlushJournalBytes = 1 << 20,
            }
        );
        await fixture.PutAsync("things/1", "a");
        await fixture.BackUpAsync();
        for (var i = 0; i < 60; i++)
        {
            await fixture.PutAsync(
                $"things/{i}",
                Convert.ToHexString(System.Security.Cryptography.RandomNumberGenerator.GetBytes(50_000))
            );
            fixture.Database.Storage.Flush();
        }
        Assert.True(fixture.Database.Storage.HeldLogBytes <= 1 << 20);
        var backup = await fixture.BackUpAsync(BackupKind.Incremental);
        Assert.Equal(BackupKind.Full, backup.Kind);
        Assert.Contains("was not kept", backup.Reason);
        await fixture.RestoreAsync("again");
    }

    private static async Task AssertEachRestoresAsync(BackupFixture fixture, string folder)
    {
        await using var repository = await fixture.RepositoryAsync();
        foreach (var backup in await repository.ListAsync(e => throw e, default))
        {
            var report = await fixture.RestoreAsync($"{folder}-{backup.Id}", new RestorePoint { Backup = backup.Id });
            Assert.Equal(backup.To.Position, report.Reached.Position);
        }
    }
}
