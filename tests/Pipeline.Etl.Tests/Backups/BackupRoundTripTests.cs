using System.Security.Cryptography;
using Pipeline.Backups;
using Pipeline.Backups.Chunks;
using Pipeline.Backups.Destinations;
using Pipeline.Backups.Manifests;
using Pipeline.Backups.Restoring;
using Pipeline.EtlKit.Backups;
using Pipeline.Storage;
using Xunit;

namespace Pipeline.Etl.Tests.Backups;

public sealed class BackupRoundTripTests
{
    [Fact]
    public async Task Every_position_within_the_increments_is_restored_exactly()
    {
        await using var fixture = new BackupFixture();
        var random = new Random(7);
        var states = new SortedDictionary<long, string>();
        async Task ChangeAsync(int count)
        {
            for (var i = 0; i < count; i++)
            {
                var id = $"things/{random.Next(40)}";
                if (random.Next(5) == 0)
                {
                    await fixture.Database.DeleteAsync(id);
                }
                else
                {
                    await fixture.PutAsync(
                        id,
                        new string((char)('a' + random.Next(26)), random.Next(10) == 0 ? 30_000 : random.Next(900))
                    );
                }

                await fixture.Database.WriteAsync(t => t.SetState("etl/orders", BitConverter.GetBytes(t.LastPosition)));
                states[fixture.Database.LastPosition] = BackupFixture.Fingerprint(fixture.Database);
            }
        }

        await ChangeAsync(60);
        var full = await fixture.BackUpAsync();
        Assert.Equal(BackupKind.Full, full.Kind);
        await ChangeAsync(50);
        Assert.Equal(BackupKind.Incremental, (await fixture.BackUpAsync()).Kind);
        await ChangeAsync(30);
        await fixture.ReopenAsync();
        await ChangeAsync(30);
        fixture.Database.Storage.Flush();
        var last = await fixture.BackUpAsync();
        Assert.Equal(BackupKind.Incremental, last.Kind);
        Assert.Null(last.Reason);

        var reachable = states.Keys.Where(p => p >= full.To.Position).ToList();
        foreach (var position in reachable.Where((_, i) => i % 9 == 0).Append(reachable[^1]))
        {
            var folder = $"at-{position}";
            var report = await fixture.RestoreAsync(folder, new RestorePoint { Position = position });
            Assert.Equal(position, report.Reached.Position);
            await using var restored = fixture.Open(folder, new StorageOptions());
            Assert.Equal(position, restored.LastPosition);
            Assert.Equal(states[position], BackupFixture.Fingerprint(restored));
            Assert.True(StorageChecker.Check(restored.Storage).IsSound);
            Assert.NotEqual(fixture.Database.Storage.StoreId, restored.Storage.StoreId);
        }

        var missed = await Assert.ThrowsAsync<BackupException>(() =>
            fixture.RestoreAsync("early", new RestorePoint { Position = 1 })
        );
        Assert.Contains($"Positions that can be restored: {full.To.Position} to {last.To.Position}", missed.Message);
        Assert.False(File.Exists(fixture["early/pipeline.data"]));
    }

    [Fact]
    public async Task A_time_is_restored_to_the_last_commit_before_it()
    {
        await using var fixture = new BackupFixture();
        await fixture.PutAsync("things/1", "a");
        await fixture.BackUpAsync();
        await fixture.PutAsync("things/2", "b");
        var between = DateTimeOffset.UtcNow;
        while (DateTimeOffset.UtcNow <= between)
            await Task.Yield();
        await fixture.PutAsync("things/3", "c");
        await fixture.BackUpAsync();

        var report = await fixture.RestoreAsync("then", new RestorePoint { Time = between });

        Assert.Equal((2, 2), (report.Reached.Position, report.Documents));
    }

    [Fact]
    public async Task A_time_is_restored_though_the_clock_was_ahead_for_a_while_before_it()
    {
        var time = new Pipeline.TestKit.Time.ManualTimeProvider();
        await using var fixture = new BackupFixture(time: time)
        {
            Options = new() { RetryDelay = TimeSpan.Zero, Time = time },
        };
        await fixture.PutAsync("things/1", "a");
        await fixture.BackUpAsync();
        time.Advance(TimeSpan.FromMinutes(1));
        await fixture.PutAsync("things/2", "b");
        time.Advance(TimeSpan.FromHours(5));
        await fixture.PutAsync("things/3", "by a clock that was five hours ahead");
        time.SetBack(TimeSpan.FromHours(5));
        time.Advance(TimeSpan.FromMinutes(1));
        await fixture.PutAsync("things/4", "d");
        var wanted = time.GetUtcNow();
        time.Advance(TimeSpan.FromMinutes(1));
        await fixture.PutAsync("things/5", "e");
        await fixture.BackUpAsync();

        var report = await fixture.RestoreAsync("then", new RestorePoint { Time = wanted });

        Assert.Equal((4, 4), (report.Reached.Position, report.Documents));
    }

    [Fact]
    public async Task Unchanged_chunks_are_not_sent_again_and_an_increment_costs_what_changed()
    {
        await using var fixture = new BackupFixture(with: d => d with { Compression = ChunkCompression.None });
        for (var i = 0; i < 300; i++)
            await fixture.PutAsync($"things/{i:000}", Convert.ToHexString(RandomNumberGenerator.GetBytes(40_000)));
        fixture.Database.Storage.Flush();
        var first = await fixture.BackUpAsync();
        Assert.True(first.SentBytes > 20 << 20, $"{first.SentBytes} bytes");

        await fixture.PutAsync("things/007", "changed");
        var increment = await fixture.BackUpAsync();
        Assert.True(increment.SentBytes < 200_000, $"{increment.SentBytes} bytes");
        var second = await fixture.BackUpAsync(BackupKind.Full);

        Assert.True(second.SentBytes < first.SentBytes / 2, $"{second.SentBytes} of {first.SentBytes} bytes");
        await fixture.RestoreAsync("again", new RestorePoint { Backup = second.Id });
        await using var restored = fixture.Open("again", new StorageOptions());
        Assert.Equal(BackupFixture.Fingerprint(fixture.Database), BackupFixture.Fingerprint(restored));
    }

    [Theory]
    [InlineData(ChunkCompression.ZstdFast, true, true)]
    [InlineData(ChunkCompression.Zstd, false, true)]
    [InlineData(ChunkCompression.ZstdSmall, true, false)]
    [InlineData(ChunkCompression.Gzip, false, false)]
    [InlineData(ChunkCompression.None, true, false)]
    public async Task Every_codec_and_encryption_of_backup_and_store(
        ChunkCompression compression,
        bool encryptsBackup,
        bool encryptsStore
    )
    {
        var key = RandomNumberGenerator.GetBytes(32);
        var store = new StorageOptions
        {
            Encryption = encryptsStore ? new StorageEncryption { Key = RandomNumberGenerator.GetBytes(32) } : null,
        };
        await using var fixture = new BackupFixture(
            store,
            d =>
                d with
                {
                    Compression = compression,
                    Encryption = encryptsBackup ? new StorageEncryption { Key = key } : null,
                }
        );
        for (var i = 0; i < 20; i++)
            await fixture.PutAsync($"things/{i}", "secret words " + new string('x', i * 1000));
        await fixture.BackUpAsync();
        await fixture.PutAsync("things/3", "more secret words");
        await fixture.BackUpAsync();

        var other = new StorageOptions
        {
            Encryption = encryptsStore ? null : new StorageEncryption { Key = RandomNumberGenerator.GetBytes(32) },
        };
        await fixture.RestoreAsync("again", null, other);
        await using var restored = fixture.Open("again", other);
        Assert.Equal(BackupFixture.Fingerprint(fixture.Database), BackupFixture.Fingerprint(restored));
        if (!encryptsBackup)
            return;
        foreach (var file in Directory.EnumerateFiles(fixture["bak"], "*", SearchOption.AllDirectories))
            Assert.Equal(-1, File.ReadAllBytes(file).AsSpan().IndexOf("secret"u8));
        fixture.Definition = fixture.Definition with
        {
            Encryption = new StorageEncryption { Key = RandomNumberGenerator.GetBytes(32) },
        };
        Assert.Contains(
            "another key",
            (await Assert.ThrowsAsync<BackupException>(() => fixture.RepositoryAsync())).Message
        );
        fixture.Definition = fixture.Definition with { Encryption = null };
        Assert.Contains(
            "no key is given",
            (await Assert.ThrowsAsync<BackupException>(() => fixture.RepositoryAsync())).Message
        );
    }

    [Fact]
    public async Task Writers_go_on_during_a_full_backup_and_it_is_of_one_commit()
    {
        await using var fixture = new BackupFixture();
        for (var i = 0; i < 200; i++)
            await fixture.PutAsync($"things/{i}", new string('a', 20_000));
        using var stop = new CancellationTokenSource();
        var writer = Task.Run(async () =>
        {
            for (var n = 1; !stop.IsCancellationRequested; n++)
            {
                await fixture.Database.WriteAsync(t =>
                {
                    t.Put("pair/a", System.Text.Encoding.UTF8.GetBytes($$"""{"N":{{n}}}"""));
                    t.Put("pair/b", System.Text.Encoding.UTF8.GetBytes($$"""{"N":{{n}}}"""));
                });
            }
        });
        for (var i = 0; i < 3; i++)
            await fixture.BackUpAsync(i == 0 ? BackupKind.Full : BackupKind.Incremental);
        await stop.CancelAsync();
        await writer;
        await using var repository = await fixture.RepositoryAsync();
        foreach (var backup in await repository.ListAsync(e => throw e, default))
        {
            await fixture.RestoreAsync(backup.Id, new RestorePoint { Backup = backup.Id });
            await using var restored = fixture.Open(backup.Id, new StorageOptions());
            using var snapshot = restored.OpenSnapshot();
            Assert.Equal(backup.To.Position, snapshot.LastPosition);
            Assert.Equal(
                snapshot.TryGet("pair/a", out var a) ? a.Body.Root["N"].GetInt64() : 0,
                snapshot.TryGet("pair/b", out var b) ? b.Body.Root["N"].GetInt64() : 0
            );
        }
    }

    [Fact]
    public async Task Several_destinations_have_a_state_each_and_one_that_fails_leaves_the_others()
    {
        await using var fixture = new BackupFixture();
        File.WriteAllText(fixture["file"], "no folder");
        fixture.Definition = fixture.Definition with
        {
            Destinations =
            [
                new FolderDefinition(fixture["bak"]),
                new FolderDefinition(fixture["file"]),
                new FolderDefinition(fixture["other"]),
            ],
        };
        await fixture.PutAsync("things/1", "a");

        var report = await fixture.RunAsync();

        Assert.False(report.Succeeded);
        Assert.Equal(2, report.Destinations.Count(d => d.Backup is { Kind: BackupKind.Full }));
        Assert.IsType<DestinationException>(report.Destinations.Single(d => d.Error is not null).Error);
        Directory.Delete(fixture["other"], recursive: true);
        await fixture.PutAsync("things/2", "b");
        report = await fixture.RunAsync();
        Assert.Equal(
            BackupKind.Incremental,
            report.Destinations.Single(d => d.Destination.Contains("bak", StringComparison.Ordinal)).Backup!.Kind
        );
        Assert.Equal(
            BackupKind.Full,
            report.Destinations.Single(d => d.Destination.Contains("other", StringComparison.Ordinal)).Backup!.Kind
        );
    }

    [Fact]
    public async Task A_restored_database_begins_a_chain_of_its_own()
    {
        await using var fixture = new BackupFixture();
        await fixture.PutAsync("things/1", "a");
        await fixture.BackUpAsync();
        await fixture.PutAsync("things/2", "b");
        await fixture.BackUpAsync();
        await fixture.RestoreAsync("again", new RestorePoint { Position = 1 });
        await using var restored = fixture.Open("again", new StorageOptions());
        await using var runner = new Pipeline.Backups.Running.BackupRunner(
            fixture.Definition,
            restored,
            fixture.Options
        );
        await restored.PutAsync("things/9", "{}"u8.ToArray());
        var backup = (await runner.RunAsync()).Destinations[0].Backup!;
        Assert.Equal(BackupKind.Full, backup.Kind);
        Assert.Contains("before it was restored", backup.Reason);
    }
}
