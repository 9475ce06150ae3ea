using Pipeline.Storage;
using Pipeline.TestKit.Storage;
using Xunit;
using static Pipeline.CrashTests.Storage.Replication.ReplicaStores;

namespace Pipeline.CrashTests.Storage.Replication;

/// <summary>A follower applies a leader's entries and equals it page by page.</summary>
public sealed class ApplyTests : IDisposable
{
    private readonly SimulatedDisk _disk = new(record: false);
    private readonly SimulatedDisk _otherDisk = new(record: false);
    private readonly TestLog _log = new();

    public void Dispose()
    {
        _disk.Dispose();
        _otherDisk.Dispose();
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public async Task Followers_equal_the_leader_after_each_transaction_and_roles_change_without_reopening(int seed)
    {
        var random = new Random(seed);
        var plans = new RandomPlans(seed);
        StorageEnvironment[] stores = [Open(_disk), Open(_otherDisk)];
        var leader = 0;
        var held = new Queue<(ReadTransaction Left, ReadTransaction Right, string Digest)>();
        stores[leader].Lead(_log);
        for (var i = 0; i < 400; i++)
        {
            var (from, to) = (stores[leader], stores[1 - leader]);
            await _log.AcceptUntilAsync(
                from,
                random.Next(30) == 0
                    ? from.CompactAsync(new CompactionOptions { MaxBytesPerSecond = 0 })
                    : from.WriteAsync(plans.Next())
            );
            while (to.LastCommittedTransaction < _log.Accepted.Count)
                to.Apply(_log.Accepted[(int)to.LastCommittedTransaction]);
            switch (random.Next(20))
            {
                case 0:
                    stores[random.Next(2)].Flush();
                    break;
                case 1 when held.Count < 5:
                    held.Enqueue((from.BeginRead(), to.BeginRead(), Digest(from)));
                    break;
                case 2 when held.Count > 0:
                    End(held.Dequeue());
                    break;
                case 3:
                    Assert.Empty((await to.ScrubAsync()).Damaged);
                    break;
                case 4:
                    from.Follow();
                    leader = 1 - leader;
                    stores[leader].Lead(_log);
                    break;
                case 5:
                    Assert.Null(Difference(from, to));
                    break;
            }
        }
        while (held.Count > 0)
            End(held.Dequeue());
        Assert.Null(Difference(stores[0], stores[1]));
        Assert.Equal(Digest(stores[0]), Digest(stores[1]));
        foreach (var store in stores)
        {
            AssertSound(store);
            store.Dispose();
        }
        using var first = Open(_disk);
        using var second = Open(_otherDisk);
        Assert.Null(Difference(first, second));

        static void End((ReadTransaction Left, ReadTransaction Right, string Digest) pair)
        {
            Assert.Null(StoreEquality.FindDifference(pair.Left, pair.Right));
            Assert.Equal(pair.Digest, Convert.ToHexString(StoreEquality.Digest(pair.Right)));
            pair.Left.Dispose();
            pair.Right.Dispose();
        }
    }

    [Theory]
    [InlineData(true, true)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    public async Task Stores_under_different_keys_hold_the_same_plain_pages(
        bool leaderEncrypted,
        bool followerEncrypted
    )
    {
        using var leader = StorageEnvironment.Open(
            Options(
                _disk,
                encryption: leaderEncrypted
                    ? new StorageEncryption { Key = Enumerable.Repeat((byte)1, 32).ToArray() }
                    : null
            )
        );
        using var follower = StorageEnvironment.Open(
            Options(
                _otherDisk,
                encryption: followerEncrypted
                    ? new StorageEncryption { Key = Enumerable.Repeat((byte)2, 32).ToArray() }
                    : null
            )
        );
        leader.Lead(_log);
        var plans = new RandomPlans(11);
        for (var i = 0; i < 100; i++)
        {
            if (i == 50 && leaderEncrypted)
                await _log.AcceptUntilAsync(leader, leader.RotateDataKeyAsync());
            await _log.AcceptUntilAsync(leader, leader.WriteAsync(plans.Next()));
            while (follower.LastCommittedTransaction < _log.Accepted.Count)
                follower.Apply(_log.Accepted[(int)follower.LastCommittedTransaction]);
            if (i % 10 == 0)
                follower.Flush();
        }
        leader.Flush();
        follower.Flush();
        Assert.Null(Difference(leader, follower));
        Assert.Equal(Digest(leader), Digest(follower));
        AssertSound(follower);
    }

    [Fact]
    public async Task A_follower_refuses_writes_of_its_own()
    {
        using var follower = StorageEnvironment.Open(Options(_disk, encryption: SimulatedStore.Key));
        await Assert.ThrowsAsync<NotLeaderException>(() => follower.WriteAsync(t => Put(t, "a", "1")));
        Assert.Throws<NotLeaderException>(() => follower.Write(_ => 1));
        await Assert.ThrowsAsync<NotLeaderException>(() => follower.CompactAsync());
        await Assert.ThrowsAsync<NotLeaderException>(() => follower.RotateDataKeyAsync());
        Assert.Equal((0, StorageRole.Follower), (follower.LastCommittedTransaction, follower.Role));
    }

    [Fact]
    public async Task Entries_that_are_damaged_or_out_of_order_change_nothing()
    {
        using var leader = Open(_disk);
        using var follower = Open(_otherDisk);
        await WriteAsync(leader, 3);

        var order = Assert.Throws<EntryOutOfOrderException>(() => follower.Apply(_log.Accepted[1]));
        Assert.Equal((1, 2), (order.Expected, order.Actual));
        var random = new Random(5);
        for (var i = 0; i < 200; i++)
        {
            var damaged = _log.Accepted[0].ToArray();
            damaged[random.Next(damaged.Length)] ^= (byte)(1 << random.Next(8));
            Assert.Throws<CorruptEntryException>(() => follower.Apply(damaged));
            Assert.Throws<CorruptEntryException>(() => LogEntry.TransactionOf(damaged));
        }
        Assert.Throws<CorruptEntryException>(() => follower.Apply(_log.Accepted[0].AsSpan(0, 70)));
        Assert.Equal(0, follower.LastCommittedTransaction);
        foreach (var entry in _log.Accepted)
            Assert.Equal(LogEntry.TransactionOf(entry), follower.Apply(entry));
        Assert.Throws<EntryOutOfOrderException>(() => follower.Apply(_log.Accepted[0]));
        Assert.Null(Difference(leader, follower));
    }

    /// <summary>A follower that once wrote something else, at the same transaction.</summary>
    private async Task<StorageEnvironment> OpenDivergedAsync(StorageEnvironment leader, StorageFaults faults)
    {
        using (var alone = StorageEnvironment.Open(Options(_otherDisk) with { IsReplica = false }))
            await alone.WriteAsync(t => Put(t, "b", "x"));
        await WriteAsync(leader, 2);
        return Open(_otherDisk, faults);
    }

    [Fact]
    public async Task A_page_that_differs_is_named_before_anything_is_applied()
    {
        using var leader = Open(_disk);
        using var follower = await OpenDivergedAsync(leader, StorageFaults.None);
        var before = Digest(follower);
        using (var left = follower.BeginRead())
        using (var right = leader.BeginRead())
            Assert.Throws<ArgumentException>(() => StoreEquality.FindDifference(left, right));

        var error = Assert.Throws<ReplicaDivergedException>(() => follower.Apply(_log.Accepted[1]));
        Assert.Equal(2, error.Transaction);
        Assert.InRange(error.Page, 2, 10);
        Assert.Equal(1, follower.LastCommittedTransaction);
        Assert.Equal(before, Digest(follower));
        follower.Flush();
        AssertSound(follower);
    }

    [Fact]
    public async Task Without_verifying_pages_a_difference_goes_unnoticed_until_stores_are_compared()
    {
        using var leader = Open(_disk);
        using var follower = await OpenDivergedAsync(leader, StorageFaults.ApplyUnverified);
        follower.Apply(_log.Accepted[1]);
        Assert.StartsWith("page ", Difference(leader, follower), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_full_disk_leaves_the_store_as_it_was_if_space_is_reserved_first(bool reserved)
    {
        using var leader = Open(_disk);
        var follower = Open(_otherDisk, reserved ? StorageFaults.None : StorageFaults.ApplyUnreserved);
        leader.Lead(_log);
        for (var i = 0; i < 40; i++)
        {
            var value = new byte[30_000];
            new Random(i).NextBytes(value);
            var key = BitConverter.GetBytes(i);
            await _log.AcceptUntilAsync(leader, leader.WriteAsync(t => t.CreateTree("t").Put(key, value)));
        }
        follower.Apply(_log.Accepted[0]);
        follower.Flush();
        _otherDisk.FreeBytes = 300_000;
        var refused = 0;
        var failed = false;
        for (var i = 1; i < 40 && !failed; i++)
        {
            var before = Digest(follower);
            try
            {
                follower.Apply(_log.Accepted[i]);
                follower.Flush();
            }
            catch (DiskFullException) when (follower.Failure is null)
            {
                refused++;
                Assert.Equal(i, follower.LastCommittedTransaction);
                Assert.Equal(before, Digest(follower));
                _otherDisk.FreeBytes += 300_000;
                i--;
            }
            catch (StorageException)
            {
                failed = true;
            }
        }
        Assert.Equal(!reserved, failed);
        if (failed)
        {
            follower.Dispose();
            return;
        }
        Assert.InRange(refused, 2, 20);
        Assert.Null(Difference(leader, follower));
        follower.Dispose();
        _otherDisk.FreeBytes = long.MaxValue;
        using var again = Open(_otherDisk);
        Assert.Null(Difference(leader, again));
    }

    [Fact]
    public async Task A_read_transaction_and_the_event_of_commits_see_an_applied_entry()
    {
        using var leader = Open(_disk);
        using var follower = Open(_otherDisk);
        await WriteAsync(leader, 2);
        var seen = new List<long>();
        follower.Committed += seen.Add;
        follower.Apply(_log.Accepted[0]);
        using var old = follower.BeginRead();
        follower.Apply(_log.Accepted[1]);
        follower.Flush();
        Assert.Equal([1, 2], seen);
        Assert.True(old.OpenTree("t").TryGet("a"u8, out var value) && value.SequenceEqual("0"u8));
        Assert.Equal("1", Get(follower, "a"));
        Assert.Equal(2, follower.DurableTransaction);
    }

    private async Task WriteAsync(StorageEnvironment leader, int count)
    {
        leader.Lead(_log);
        for (var i = 0; i < count; i++)
        {
            var value = i.ToString(System.Globalization.CultureInfo.InvariantCulture);
            await _log.AcceptUntilAsync(leader, leader.WriteAsync(t => Put(t, "a", value)));
        }
    }
}
