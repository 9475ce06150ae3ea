using Pipeline.Storage;
using Pipeline.TestKit.Storage;
using Xunit;
using static Pipeline.CrashTests.Storage.Replication.ReplicaStores;

namespace Pipeline.CrashTests.Storage.Replication;

/// <summary>A leader: nothing is visible, on the disk or answered before the log has accepted it.</summary>
public sealed class CommitLogTests : IDisposable
{
    private readonly SimulatedDisk _disk = new();
    private readonly TestLog _log = new();

    public void Dispose() => _disk.Dispose();

    private StorageEnvironment OpenLeader(StorageFaults faults = StorageFaults.None)
    {
        var environment = Open(_disk, faults);
        environment.Lead(_log);
        return environment;
    }

    [Fact]
    public async Task A_write_is_not_visible_nor_on_the_disk_nor_answered_before_it_is_accepted()
    {
        using var leader = OpenLeader();
        var events = _disk.Log.Count;
        var write = leader.WriteAsync(t => Put(t, "a", "1"));
        Assert.Equal(1, await _log.NextAsync());
        leader.Flush();

        Assert.False(write.IsCompleted);
        Assert.Equal(0, leader.LastCommittedTransaction);
        Assert.Null(Get(leader, "a"));
        Assert.DoesNotContain(_disk.Log.Skip(events), e => e.Kind == DiskEventKind.Write);

        _log.Accept(leader, 1);
        await write;
        Assert.Equal("1", Get(leader, "a"));
        Assert.Contains(_disk.Log.Skip(events), e => e.Kind == DiskEventKind.Write);
        Assert.Equal(0, leader.DurableTransaction);
        leader.Flush();
        Assert.Equal(1, leader.DurableTransaction);
    }

    [Fact]
    public async Task The_window_limits_the_entries_on_their_way_and_what_waits_is_merged()
    {
        using var leader = OpenLeader();
        var writes = new List<Task>();
        for (var i = 0; i < 3; i++)
        {
            writes.Add(leader.WriteAsync(t => Put(t, "a", "first")));
            Assert.Equal(i + 1, await _log.NextAsync());
        }
        for (var i = 0; i < 20; i++)
        {
            var key = "k" + i;
            writes.Add(leader.WriteAsync(t => Put(t, key, "later")));
        }
        Assert.False(_log.HasMore);

        _log.Accept(leader, 1);
        Assert.Equal(4, await _log.NextAsync());
        _log.Accept(leader, 4);
        await Task.WhenAll(writes.Take(4));
        await _log.AcceptUntilAsync(leader, Task.WhenAll(writes));
        Assert.InRange(leader.LastCommittedTransaction, 4, 6);
        Assert.Equal("later", Get(leader, "k19"));
    }

    [Theory]
    [InlineData(CommitOutcome.Refused, 0)]
    [InlineData(CommitOutcome.Unknown, 0)]
    [InlineData(CommitOutcome.Refused, 60_000)]
    public async Task What_is_not_accepted_is_undone_with_all_that_builds_on_it(CommitOutcome outcome, int bytes)
    {
        using var leader = OpenLeader();
        await _log.AcceptUntilAsync(leader, leader.WriteAsync(t => Put(t, "a", "before")));
        var before = Digest(leader);
        var writes = new List<Task>();
        for (var i = 0; i < 3; i++)
        {
            var noise = new byte[bytes];
            new Random(i).NextBytes(noise);
            var value = "refused" + Convert.ToBase64String(noise);
            writes.Add(leader.WriteAsync(t => Put(t, "a", value)));
            Assert.Equal(i + 2, await _log.NextAsync());
        }
        var queued = leader.WriteAsync(t => Put(t, "b", "queued"));

        leader.Land(2, outcome);

        for (var i = 0; i < 3; i++)
        {
            var error = await Assert.ThrowsAsync<NotAcceptedException>(() => writes[i]);
            Assert.Equal((i + 2, outcome), (error.Transaction, error.Outcome));
        }
        var left = await Assert.ThrowsAnyAsync<StorageException>(() => queued);
        Assert.True(left is NotLeaderException or NotAcceptedException, left.Message);
        Assert.Equal(StorageRole.Follower, leader.Role);
        Assert.Equal(before, Digest(leader));
        Assert.Equal("before", Get(leader, "a"));

        // The same store leads again, and its disk can be opened afterwards.
        while (_log.HasMore)
            await _log.NextAsync();
        leader.Lead(_log);
        await _log.AcceptUntilAsync(leader, leader.WriteAsync(t => Put(t, "a", "after")));
        Assert.Equal(2, leader.LastCommittedTransaction);
        var after = Digest(leader);
        AssertSound(leader);
        using var replay = new CrashReplay();
        foreach (var happening in _disk.Log)
            replay.Apply(happening);
        using var crashed = replay.Crash(new Random(1), CrashMode.KeepAll);
        using var again = Open(crashed);
        Assert.Equal(after, Digest(again));
    }

    [Fact]
    public async Task An_unknown_transaction_that_the_log_has_is_applied_like_any_other()
    {
        using var leader = OpenLeader();
        var write = leader.WriteAsync(t => Put(t, "a", "1"));
        await _log.NextAsync();
        leader.Follow();
        await Assert.ThrowsAsync<NotAcceptedException>(() => write);
        Assert.Null(Get(leader, "a"));

        Assert.Equal(1, leader.Apply(_log[1]));
        Assert.Equal("1", Get(leader, "a"));
        leader.Lead(_log);
        await _log.AcceptUntilAsync(leader, leader.WriteAsync(t => Put(t, "a", "2")));
        Assert.Equal("2", Get(leader, "a"));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Errors_and_unchanged_results_wait_for_the_state_they_come_from(bool accepted)
    {
        using var leader = OpenLeader();
        var write = leader.WriteAsync(t => Put(t, "a", "1"));
        await _log.NextAsync();
        var error = leader.WriteAsync(FailWhereThere);
        var unchanged = leader.WriteAsync(t => t.CreateTree("t").TryGet("a"u8, out _));
        // They have run when a third operation behind them is sent.
        var third = leader.WriteAsync(t => Put(t, "b", "1"));
        var last = await _log.NextAsync();
        Assert.False(error.IsCompleted || unchanged.IsCompleted);

        if (accepted)
        {
            _log.Accept(leader, last);
            await Task.WhenAll(write, third);
            Assert.Equal("conflict", (await Assert.ThrowsAsync<InvalidOperationException>(() => error)).Message);
            Assert.True(await unchanged);
        }
        else
        {
            leader.Land(1, CommitOutcome.Refused);
            await Assert.ThrowsAsync<NotAcceptedException>(() => write);
            await Assert.ThrowsAsync<NotAcceptedException>(() => third);
            await Assert.ThrowsAsync<NotAcceptedException>(() => error);
            await Assert.ThrowsAsync<NotAcceptedException>(() => unchanged);
        }
    }

    [Fact]
    public async Task With_nothing_on_its_way_an_answer_leaves_only_while_the_node_leads()
    {
        using var leader = OpenLeader();
        await Assert.ThrowsAsync<InvalidOperationException>(() => leader.WriteAsync(Throw));
        Assert.Equal(7, await leader.WriteAsync(_ => 7));

        _log.Leads = false;
        await Assert.ThrowsAsync<NotLeaderException>(() => leader.WriteAsync(Throw));
        await Assert.ThrowsAsync<NotLeaderException>(() => leader.WriteAsync(_ => 7));

        static void Throw(WriteTransaction transaction) => throw new InvalidOperationException("mine");
    }

    [Fact]
    public async Task Blocking_writers_get_the_same_answers()
    {
        using var leader = OpenLeader();
        var write = Task.Run(() =>
            leader.Write(t =>
            {
                Put(t, "a", "1");
                return 5;
            })
        );
        _log.Accept(leader, await _log.NextAsync());
        Assert.Equal(5, await write);
        var refused = Task.Run(() =>
            leader.Write(t =>
            {
                Put(t, "a", "2");
                return 5;
            })
        );
        leader.Land(await _log.NextAsync(), CommitOutcome.Refused);
        await Assert.ThrowsAsync<NotAcceptedException>(() => refused);
        Assert.Throws<NotLeaderException>(() => leader.Write(_ => 1));
    }

    [Fact]
    public async Task An_entry_over_the_logs_limit_is_refused_by_its_size_and_those_merged_with_it_are_not()
    {
        using var leader = OpenLeader();
        _log.MaxEntryBytes = 50_000;
        var first = leader.WriteAsync(t => Put(t, "a", "1"));
        await _log.NextAsync();
        var second = leader.WriteAsync(t => Put(t, "a", "2"));
        await _log.NextAsync();
        var third = leader.WriteAsync(t => Put(t, "a", "3"));
        await _log.NextAsync();
        var random = new byte[60_000];
        var large = leader.WriteAsync(t => t.CreateTree("t").Put("large"u8, Filled(random)));
        var small = leader.WriteAsync(t => Put(t, "small", "1"));
        var tooLarge = Assert.ThrowsAsync<TransactionTooLargeException>(() => large);
        _log.Accept(leader, 3);
        await _log.AcceptUntilAsync(leader, Task.WhenAll(first, second, third, small, tooLarge));
        Assert.Equal("1", Get(leader, "small"));
        Assert.Null(Get(leader, "large"));

        static byte[] Filled(byte[] bytes)
        {
            new Random(1).NextBytes(bytes);
            return bytes;
        }
    }

    /// <summary>What makes a transaction run its operations again, or one by one, after some of them have failed.</summary>
    public enum Repeat
    {
        /// <summary>A later operation changes something and throws, and cancels the first one.</summary>
        Cancelled,

        /// <summary>A later operation changes something and throws, and the first one throws when it is run again.</summary>
        Fails,

        /// <summary>Together the changes are more than the log takes, and the first operation is cancelled.</summary>
        TooLarge,
    }

    [Theory]
    [InlineData(Repeat.Cancelled)]
    [InlineData(Repeat.Fails)]
    [InlineData(Repeat.TooLarge)]
    public async Task A_failed_operation_has_not_seen_what_is_undone(Repeat repeat)
    {
        using var leader = OpenLeader();
        _log.MaxEntryBytes = 50_000;
        var writes = new List<Task>();
        for (var i = 0; i < 3; i++)
        {
            writes.Add(leader.WriteAsync(t => Put(t, "before", "1")));
            await _log.NextAsync();
        }
        // The window is full: what comes now runs at once, in one transaction.
        using var cancelled = new CancellationTokenSource();
        var (runs, random) = (0, new byte[40_000]);
        new Random(1).NextBytes(random);
        var first = leader.WriteAsync(
            t =>
            {
                if (++runs > 1 && repeat == Repeat.Fails)
                    throw new InvalidOperationException("not again");
                t.CreateTree("t").Put("a"u8, repeat == Repeat.TooLarge ? random : "1"u8);
            },
            cancelled.Token
        );
        var conflict = leader.WriteAsync(FailWhereThere);
        var later = leader.WriteAsync(t =>
        {
            t.CreateTree("t").Put("b"u8, random);
            cancelled.Cancel();
            if (repeat != Repeat.TooLarge)
                throw new InvalidOperationException("mine");
        });
        var all = Task.WhenAll([.. writes, first, conflict, later]);
        _log.Accept(leader, 3);
        await _log.AcceptUntilAsync(leader, all.ContinueWith(static _ => { }, TaskScheduler.Default));

        var isThere = repeat == Repeat.Cancelled;
        Assert.Equal(isThere, Get(leader, "a") is not null);
        Assert.Equal(isThere, first.IsCompletedSuccessfully);
        Assert.Equal(isThere ? "conflict" : null, conflict.Exception?.InnerException!.Message);
        Assert.Equal(repeat == Repeat.TooLarge, later.IsCompletedSuccessfully);
    }

    [Fact]
    public async Task Closing_answers_all_who_wait()
    {
        var leader = OpenLeader();
        var writes = new List<Task>();
        for (var i = 0; i < 6; i++)
            writes.Add(leader.WriteAsync(t => Put(t, "a", "1")));
        await _log.NextAsync();
        leader.Dispose();
        foreach (var write in writes)
        {
            var error = await Assert.ThrowsAnyAsync<Exception>(() => write);
            Assert.True(
                error is NotAcceptedException or NotLeaderException or ObjectDisposedException,
                error.ToString()
            );
        }
        using var again = Open(_disk);
        Assert.Equal(0, again.LastCommittedTransaction);
    }

    [Fact]
    public async Task Outcomes_out_of_order_and_roles_that_do_not_fit_are_refused()
    {
        using var leader = OpenLeader();
        Assert.Throws<InvalidOperationException>(() => leader.Land(1, CommitOutcome.Accepted));
        Assert.Throws<InvalidOperationException>(() => leader.Lead(_log));
        Assert.Throws<InvalidOperationException>(() => leader.Apply([]));
        var first = leader.WriteAsync(t => Put(t, "a", "1"));
        await _log.NextAsync();
        var second = leader.WriteAsync(t => Put(t, "a", "2"));
        await _log.NextAsync();
        Assert.Throws<InvalidOperationException>(() => leader.Land(2, CommitOutcome.Refused));
        Assert.Throws<InvalidOperationException>(() => leader.Land(3, CommitOutcome.Accepted));
        _log.Accept(leader, 2);
        await Task.WhenAll(first, second);

        using var disk = new SimulatedDisk(record: false);
        using var alone = StorageEnvironment.Open(Options(disk) with { IsReplica = false });
        Assert.Equal(StorageRole.Alone, alone.Role);
        Assert.Throws<InvalidOperationException>(() => alone.Lead(_log));
        Assert.Throws<InvalidOperationException>(() => alone.Apply([]));
    }

    [Fact]
    public async Task A_transaction_shown_before_its_acceptance_is_noticed()
    {
        var leader = OpenLeader(StorageFaults.PublishBeforeAcceptance);
        var write = leader.WriteAsync(t => Put(t, "a", "1"));
        await _log.NextAsync();
        Assert.Equal(1, leader.LastCommittedTransaction);
        leader.Land(1, CommitOutcome.Accepted);
        await write;
        leader.Dispose();
    }

    [Fact]
    public async Task An_error_let_go_before_its_state_is_accepted_is_noticed()
    {
        using var leader = OpenLeader(StorageFaults.AnswerBeforeAcceptance);
        var write = leader.WriteAsync(t => Put(t, "a", "1"));
        await _log.NextAsync();
        var error = leader.WriteAsync(t =>
            throw new InvalidOperationException(t.OpenTree("t").TryGet("a"u8, out _) ? "conflict" : "")
        );
        Assert.Equal("conflict", (await Assert.ThrowsAsync<InvalidOperationException>(() => error)).Message);
        Assert.False(write.IsCompleted);
        leader.Land(1, CommitOutcome.Refused);
        await Assert.ThrowsAsync<NotAcceptedException>(() => write);
    }

    private static void FailWhereThere(WriteTransaction transaction)
    {
        if (transaction.TryOpenTree("t", out var tree) && tree.TryGet("a"u8, out _))
            throw new InvalidOperationException("conflict");
    }
}
