using Pipeline.Cluster.Tests.Log;
using Pipeline.Storage;
using Xunit;

namespace Pipeline.Cluster.Tests.Driver;

/// <summary>Nodes on separate threads, in real time.</summary>
public sealed class NodeDriverTests : IDisposable
{
    private static readonly string[] Names = ["n1", "n2", "n3"];
    private readonly CancellationTokenSource _late = new(TimeSpan.FromSeconds(60));

    private CancellationToken Late => _late.Token;

    public void Dispose() => _late.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_write_at_the_leader_reaches_every_node(bool byTail)
    {
        await using var log = new MemoryLog();
        await using var cluster = new DriverCluster(Names, _ => log, byTail);
        var writers = Enumerable.Range(0, 8).Select(w => WriteAsync(cluster, w * 1000, 100));
        var orders = (await Task.WhenAll(writers)).SelectMany(o => o).Order();
        Assert.Equal(Enumerable.Range(1, 800).Select(i => (long)i), orders);
        await cluster.EqualAsync(Late);
    }

    [Fact]
    public async Task A_follower_refuses_writes_and_names_the_leader()
    {
        await using var log = new MemoryLog();
        await using var cluster = new DriverCluster(Names, _ => log);
        await cluster.WriteAsync(1, Late);
        var leader = await cluster.LeaderAsync(Late);
        await cluster.EqualAsync(Late);
        foreach (var follower in cluster.Members.Where(m => m != leader))
        {
            var refused = await Assert.ThrowsAsync<NotLeaderException>(() => follower.Store.WriteAsync(_ => true));
            Assert.Equal(leader.Name, refused.Leader);
            Assert.Contains($"'{leader.Name}'", refused.Message, StringComparison.Ordinal);
            Assert.False(follower.Store.HoldsLease);
        }
    }

    [Fact]
    public async Task The_log_confirms_the_leader_alone_and_callers_share_a_record()
    {
        await using var log = new MemoryLog();
        await using var cluster = new DriverCluster(Names, _ => log);
        await cluster.WriteAsync(1, Late);
        var leader = await cluster.LeaderAsync(Late);
        var before = (await log.GetBoundsAsync(Late)).End;
        var asked = await Task.WhenAll(Enumerable.Range(0, 500).Select(_ => leader.Driver.ConfirmAsync(Late)));
        Assert.All(asked, Assert.True);
        Assert.InRange((await log.GetBoundsAsync(Late)).End - before, 1, 499);
        foreach (var follower in cluster.Members.Where(m => m != leader))
            Assert.False(await follower.Driver.ConfirmAsync(Late));
        await cluster.WriteAsync(2, Late);
        await cluster.EqualAsync(Late);
    }

    [Fact]
    public async Task A_leader_whose_log_is_away_is_not_confirmed_though_its_lease_goes_on()
    {
        await using var log = new MemoryLog();
        var ways = Names.ToDictionary(n => n, _ => new AwayLog(log));
        await using var cluster = new DriverCluster(Names, n => ways[n]);
        await cluster.WriteAsync(1, Late);
        var leader = await cluster.LeaderAsync(Late);
        ways[leader.Name].IsAway = true;
        var held = leader.Store.HoldsLease;
        Assert.False(await leader.Driver.ConfirmAsync(Late));
        Assert.True(held);
        ways[leader.Name].IsAway = false;
        await cluster.WriteAsync(2, Late);
        Assert.True(await (await cluster.LeaderAsync(Late)).Driver.ConfirmAsync(Late));
    }

    [Fact]
    public async Task A_handover_under_load_loses_nothing()
    {
        await using var log = new MemoryLog();
        await using var cluster = new DriverCluster(Names, _ => log);
        await cluster.WriteAsync(0, Late);
        var writing = Enumerable.Range(1, 4).Select(w => WriteAsync(cluster, w * 1000, 150)).ToList();
        var handed = 0;
        for (var i = 0; i < 6; i++)
        {
            var leader = await cluster.LeaderAsync(Late);
            var next = cluster.Members.First(m => m != leader);
            await next.Driver.WaitAsync(s => s.IsCaughtUp, Late);
            if (!await leader.Driver.HandOverAsync(next.Name, Late))
                continue;
            handed++;
            await next.Driver.WaitAsync(s => s.TakesWrites, Late);
        }
        var orders = (await Task.WhenAll(writing)).SelectMany(o => o).Distinct().Count();
        Assert.Equal(600, orders);
        Assert.True(handed >= 3, $"{handed} of 6 handovers took place");
        await cluster.EqualAsync(Late);
    }

    [Fact]
    public async Task A_leader_that_is_cut_off_from_the_log_is_replaced_and_follows()
    {
        await using var log = new MemoryLog();
        var ways = Names.ToDictionary(n => n, _ => new AwayLog(log));
        await using var cluster = new DriverCluster(Names, n => ways[n]);
        await cluster.WriteAsync(1, Late);
        var old = await cluster.LeaderAsync(Late);
        ways[old.Name].IsAway = true;
        await Task.WhenAny(
            cluster.Members.Where(m => m != old).Select(m => m.Driver.WaitAsync(s => s.TakesWrites, Late))
        );
        Assert.False(old.Store.HoldsLease);
        await old.Driver.WaitAsync(s => s.LogProblem is IOException, Late);
        ways[old.Name].IsAway = false;
        await old.Driver.WaitAsync(s => s is { Role: NodeRole.Following, LogProblem: null, IsCaughtUp: true }, Late);
        Assert.Equal(2, await cluster.WriteAsync(2, Late));
        await cluster.EqualAsync(Late);
    }

    [Fact]
    public async Task Writes_wait_while_the_log_is_away_for_all_and_end_when_it_is_back()
    {
        await using var log = new MemoryLog();
        var ways = Names.ToDictionary(n => n, _ => new AwayLog(log));
        await using var cluster = new DriverCluster(Names, n => ways[n]);
        await cluster.WriteAsync(1, Late);
        foreach (var way in ways.Values)
            way.IsAway = true;
        var writing = cluster.WriteAsync(2, Late);
        foreach (var member in cluster.Members)
            await member.Driver.WaitAsync(s => s.LogProblem is not null, Late);
        Assert.False(writing.IsCompleted);
        foreach (var way in ways.Values)
            way.IsAway = false;
        Assert.Equal(2, await writing);
        await cluster.EqualAsync(Late);
    }

    [Fact]
    public async Task Lost_answers_late_records_and_duplicates_are_survived()
    {
        var faults = new MemoryLogFaults(3)
        {
            Delay = 0.02,
            Loss = 0.02,
            NoAnswer = 0.03,
            Duplicate = 0.05,
            Landing = 0.3,
        };
        await using var log = new MemoryLog(faults);
        await using var cluster = new DriverCluster(Names, _ => log);
        var writers = Enumerable.Range(0, 4).Select(w => WriteAsync(cluster, w * 1000, 25));
        Assert.Equal(100, (await Task.WhenAll(writers)).SelectMany(o => o).Distinct().Count());
        await cluster.EqualAsync(Late);
    }

    [Fact]
    public async Task Three_nodes_share_a_log_in_a_folder_whose_answers_are_lost()
    {
        var folder = Directory.CreateTempSubdirectory("pipeline-driver-").FullName;
        try
        {
            var logs = new Dictionary<string, ISharedLog>();
            foreach (var name in Names)
                logs[name] = new AwayLog(await DirectoryLog.OpenAsync(folder)) { LosesAnswers = 40 };
            await using (var cluster = new DriverCluster(Names, n => logs[n]))
            {
                var writers = Enumerable.Range(0, 4).Select(w => WriteAsync(cluster, w * 1000, 50));
                Assert.Equal(200, (await Task.WhenAll(writers)).SelectMany(o => o).Distinct().Count());
                await cluster.EqualAsync(Late);
            }
            foreach (var log in logs.Values)
                await log.DisposeAsync();
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public async Task A_leader_that_stops_answers_all_that_it_took()
    {
        await using var log = new MemoryLog();
        await using var cluster = new DriverCluster(Names, _ => log);
        await cluster.WriteAsync(0, Late);
        var leader = await cluster.LeaderAsync(Late);
        var taken = Enumerable.Range(1, 50).Select(i => leader.Store.WriteAsync(t => Put(t, i), Late)).ToList();
        await leader.Driver.DisposeAsync();
        await Task.WhenAll(taken);
        Assert.Equal(NodeRole.Stopped, leader.Driver.Status.Role);
        await Assert.ThrowsAsync<NotLeaderException>(() => leader.Store.WriteAsync(_ => true));
        Assert.Equal(2, await cluster.WriteAsync(51, Late));
    }

    [Fact]
    public async Task A_leader_that_is_to_stop_waits_for_no_silent_log()
    {
        await using var log = new MemoryLog();
        var way = new AwayLog(log);
        var options = DriverMember.Times with { StopTimeout = TimeSpan.FromMilliseconds(200) };
        await using var cluster = new DriverCluster(["n1"], _ => way, options: options);
        await cluster.WriteAsync(0, Late);
        var leader = cluster["n1"];
        way.IsAway = true;
        var waiting = leader.Store.WriteAsync(t => Put(t, 1), Late);
        await leader.Driver.EndWhereSilentAsync();
        var lost = await Assert.ThrowsAsync<NotAcceptedException>(() => waiting);
        Assert.Equal(CommitOutcome.Unknown, lost.Outcome);
        var failure = Assert.IsType<LogSilentException>(leader.Driver.Status.Failure);
        Assert.Equal(("n1", options.StopTimeout), (failure.Node, failure.Waited));
        Assert.False(await leader.Driver.HandOverAsync("n2", Late));

        // Nobody waits for a node that failed before it was disposed.
        var watching = leader.Driver.WaitAsync(_ => false, Late);
        await leader.Driver.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => watching);
    }

    [Fact]
    public async Task A_leader_that_is_to_stop_goes_on_where_the_log_answers()
    {
        await using var log = new MemoryLog();
        var options = DriverMember.Times with { SilenceLook = TimeSpan.FromMilliseconds(1) };
        await using var cluster = new DriverCluster(["n1"], _ => log, options: options);
        await cluster.WriteAsync(0, Late);
        var ending = cluster["n1"].Driver.EndWhereSilentAsync();
        for (var i = 1; i < 100; i++)
            await cluster.WriteAsync(i, Late);
        await cluster["n1"].Driver.DisposeAsync();
        await ending;
        Assert.IsType<ObjectDisposedException>(cluster["n1"].Driver.Status.Failure);
    }

    [Fact]
    public async Task A_second_process_of_the_same_name_is_stopped_and_refuses_writes()
    {
        await using var log = new MemoryLog();
        await using var cluster = new DriverCluster([], _ => log);
        // Neither claims before both have begun: one that finds the other leading only follows.
        foreach (var member in (DriverMember[])[new("n1", log), new("n1", log)])
        {
            member.Driver.Abstain(true);
            cluster.Add(member);
            await member.Driver.WaitAsync(s => s.IsCaughtUp, Late);
        }
        foreach (var member in cluster.Members)
            member.Driver.Abstain(false);
        var stopped = await Task.WhenAny(
            cluster.Members.Select(async m =>
            {
                await m.Driver.WaitAsync(s => s.Stop == NodeStop.SameName, Late);
                return m;
            })
        );
        var second = await stopped;
        await Assert.ThrowsAsync<NotLeaderException>(() => second.Store.WriteAsync(_ => true));
    }

    private static bool Put(WriteTransaction transaction, int number) =>
        transaction.CreateTree("taken").Put(BitConverter.GetBytes(number), default);

    private async Task<List<long>> WriteAsync(DriverCluster cluster, int first, int count)
    {
        var orders = new List<long>();
        for (var i = 0; i < count; i++)
            orders.Add(await cluster.WriteAsync(first + i, Late));
        return orders;
    }
}
