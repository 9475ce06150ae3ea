using System.Collections.Concurrent;
using Pipeline.Storage;
using Pipeline.TestKit.Storage;
using Xunit;
using Xunit.Abstractions;
using static Pipeline.CrashTests.Storage.Replication.ReplicaStores;

namespace Pipeline.CrashTests.Storage.Replication;

/// <summary>
/// A follower that crashes after any event of its disk has a prefix of the log, at least up to
/// <see cref="StorageEnvironment.DurableTransaction"/>, resumes from there and equals the leader.
/// </summary>
public sealed class FollowerCrashTests(ITestOutputHelper output)
{
    private static readonly ConcurrentDictionary<int, Task<(List<byte[]> Entries, List<string> Digests)>> Leaders =
        new();

    [Theory]
    [InlineData(false, 12, 8_000)]
    [InlineData(true, 4, 4_000)]
    public async Task Every_crash_of_a_follower_leaves_a_prefix_that_resumes(bool encrypted, int seeds, int expected)
    {
        var crashes = 0;
        var holes = 0;
        for (var seed = 1; seed <= seeds; seed++)
        {
            var (tried, behind, fault) = await RunAsync(seed, encrypted, StorageFaults.None);
            Assert.True(fault is null, fault);
            crashes += tried;
            holes += behind;
        }
        output.WriteLine($"{crashes} crashes; {holes} of them left more than was known to be durable");
        Assert.True(crashes >= expected, $"only {crashes} crashes were tried");
        Assert.True(holes > 0, "no crash hit a journal that was written and not synced");
    }

    [Fact]
    public async Task A_flush_ahead_of_the_lazily_written_journal_is_found()
    {
        for (var seed = 1; seed <= 12; seed++)
        {
            if ((await RunAsync(seed, encrypted: false, StorageFaults.FlushBeforeJournal)).Fault is not { } fault)
                continue;
            output.WriteLine($"found with seed {seed}: {fault}");
            return;
        }
        Assert.Fail("not found");
    }

    private static async Task<(int Crashes, int Behind, string? Fault)> RunAsync(
        int seed,
        bool encrypted,
        StorageFaults faults
    )
    {
        var (entries, digests) = await Leaders.GetOrAdd(seed, LeadAsync);
        using var disk = new SimulatedDisk();
        var options = Options(disk, faults, encrypted ? SimulatedStore.Key : null);
        var random = new Random(seed);
        var follower = StorageEnvironment.Open(options);
        var readers = new Queue<(ReadTransaction Read, string Digest)>();
        foreach (var entry in entries)
        {
            follower.Apply(entry);
            switch (random.Next(16))
            {
                case 0 or 1:
                    follower.Flush();
                    break;
                case 2 when readers.Count < 4:
                    readers.Enqueue((follower.BeginRead(), digests[(int)follower.LastCommittedTransaction]));
                    break;
                case 3 when readers.TryDequeue(out var held):
                    var same = Convert.ToHexString(StoreEquality.Digest(held.Read)) == held.Digest;
                    held.Read.Dispose();
                    if (!same)
                        return (0, 0, $"seed {seed}: a held snapshot changed");
                    break;
                case 4:
                    await follower.ScrubAsync();
                    break;
                case 5 when random.Next(4) == 0 && readers.Count == 0:
                    follower.Dispose();
                    follower = StorageEnvironment.Open(options);
                    break;
            }
            disk.Mark(follower.DurableTransaction);
        }
        foreach (var (read, _) in readers)
            read.Dispose();
        follower.Dispose();
        return Crash(disk, entries, digests, seed, encrypted);
    }

    private static (int Crashes, int Behind, string? Fault) Crash(
        SimulatedDisk disk,
        List<byte[]> entries,
        List<string> digests,
        int seed,
        bool encrypted
    )
    {
        using var replay = new CrashReplay();
        var (crashes, behind) = (0, 0);
        var log = disk.Log;
        for (var i = 0; i < log.Count; i++)
        {
            replay.Apply(log[i]);
            if (log[i].Kind == DiskEventKind.Mark)
                continue;
            for (var variant = 0; variant < (replay.HasPending ? 4 : 1); variant++)
            {
                var mode = variant switch
                {
                    0 => CrashMode.LoseAll,
                    1 => CrashMode.KeepAll,
                    _ => CrashMode.Mix,
                };
                var random = new Random((((seed * 1_000_003) + i) * 31) + variant);
                using var crashed = replay.Crash(random, mode);
                crashes++;
                var fault = Resume(
                    crashed,
                    entries,
                    digests,
                    replay.LastMark,
                    encrypted,
                    all: random.Next(20) == 0,
                    ref behind
                );
                if (fault is not null)
                {
                    return (
                        crashes,
                        behind,
                        $"seed {seed}, crash after event {i} ({log[i]}), variant {variant} ({mode}): {fault}"
                    );
                }
            }
        }
        return (crashes, behind, null);
    }

    private static string? Resume(
        SimulatedDisk disk,
        List<byte[]> entries,
        List<string> digests,
        long durable,
        bool encrypted,
        bool all,
        ref int behind
    )
    {
        try
        {
            using var follower = StorageEnvironment.Open(
                Options(disk, encryption: encrypted ? SimulatedStore.Key : null) with
                {
                    Threadless = true,
                }
            );
            var last = (int)follower.LastCommittedTransaction;
            if (last < durable)
                return $"transaction {durable} was durable, the last one is {last}";
            if (last > entries.Count || Digest(follower) != digests[last])
                return $"the store is not as the leader was at transaction {last}";
            if (last > 0 && last < entries.Count && last > durable)
                behind++;
            var until = all ? entries.Count : Math.Min(entries.Count, last + 3);
            for (var i = last; i < until; i++)
                follower.Apply(entries[i]);
            return Digest(follower) == digests[until] ? null : $"resumed at {last}, it differs at {until}";
        }
        catch (StorageException e)
        {
            return e.Message;
        }
    }

    private static async Task<(List<byte[]> Entries, List<string> Digests)> LeadAsync(int seed)
    {
        using var disk = new SimulatedDisk(record: false);
        using var leader = Open(disk);
        var log = new TestLog();
        var plans = new RandomPlans(seed);
        var random = new Random(seed);
        var digests = new List<string> { Digest(leader) };
        leader.Committed += _ => digests.Add("");
        leader.Lead(log);
        for (var i = 0; i < 60; i++)
        {
            await log.AcceptUntilAsync(
                leader,
                random.Next(25) == 0
                    ? leader.CompactAsync(new CompactionOptions { MaxBytesPerSecond = 0 })
                    : leader.WriteAsync(plans.Next())
            );
            digests[^1] = Digest(leader);
        }
        // What compactions did in between is known by another store that applied it.
        using var otherDisk = new SimulatedDisk(record: false);
        using var other = Open(otherDisk);
        for (var i = 0; i < log.Accepted.Count; i++)
        {
            other.Apply(log.Accepted[i]);
            if (digests[i + 1].Length == 0)
                digests[i + 1] = Digest(other);
            Assert.Equal(digests[i + 1], Digest(other));
        }
        return (log.Accepted, digests);
    }
}
