namespace ClusterSample;

/// <summary>What happens to the nodes while clients write.</summary>
public sealed class Faults(Cluster cluster, Load load)
{
    // A leader's lease ends after 1 s.
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(5);
    private const int Reads = 20;

    /// <summary>How long nobody acknowledged a write, in milliseconds, after each kill.</summary>
    public List<double> Failovers { get; } = [];

    /// <summary>The longest time without an acknowledged write, in milliseconds, in each handover.</summary>
    public List<double> Handovers { get; } = [];

    /// <summary>How often a node that was paused answered a read with less than was acknowledged.</summary>
    public int StaleReads { get; private set; }

    /// <summary>How many nodes were filled from another one.</summary>
    public int Refills { get; private set; }

    /// <summary>Kills the leader, and starts it again when another one leads.</summary>
    public async Task KillLeaderAsync(int number)
    {
        var leader = await cluster.LeaderAsync();
        await leader.KillAsync();
        Failovers.Add((await load.NextAsync()).TotalMilliseconds);
        var successor = await cluster.LeaderAsync();
        Console.WriteLine(
            $"kill {number}: {leader.Name} was killed with {load.Count:N0} writes acknowledged; {successor.Name} leads, first write after {Failovers[^1]:N0} ms"
        );
        leader.Start();
        await cluster.AllAsync();
    }

    /// <summary>Has a follower lead in place of the leader, as before the leader's machine is restarted.</summary>
    public async Task HandOverAsync(int number)
    {
        var (leader, successor) = (await cluster.LeaderAsync(), await cluster.FollowerAsync());
        var began = System.Diagnostics.Stopwatch.GetTimestamp();
        await cluster.Client.HandOverAsync(successor.Name, CancellationToken.None);
        await load.NextAsync();
        Handovers.Add(load.LongestPauseSince(began).TotalMilliseconds);
        Console.WriteLine(
            $"handover {number}: {leader.Name} handed over to {successor.Name}; no write was acknowledged for {Handovers[^1]:N0} ms"
        );
        await cluster.AllAsync();
    }

    /// <summary>
    /// Stops the leader's process for longer than its lease. When it goes on, it believes for a moment that it leads;
    /// whatever it answers then must be as new as what others have acknowledged.
    /// </summary>
    public async Task PauseLeaderAsync(int number)
    {
        var leader = await cluster.LeaderAsync();
        leader.Stand(still: true);
        var first = load.NextAsync();
        await Task.Delay(Pause);
        var last = load.Last(Reads);
        leader.Stand(still: false);
        var answers = await Task.WhenAll(last.Select(n => cluster.Client.ReadAtAsync(leader.Url, n)));
        var stale = answers.Where((a, i) => a is { } read && read != last[i]).Count();
        StaleReads += stale;
        // If the log is a folder, and the process stood still in an append, it held the folder's lock meanwhile.
        var took = await first;
        Console.WriteLine(
            $"pause {number}: {leader.Name} stood still for {Pause.TotalSeconds:0} s, first write after {took.TotalMilliseconds:N0} ms; afterwards it answered {answers.Count(a => a is not null)} of {last.Count} reads, {stale} of them stale"
        );
        await cluster.AllAsync();
    }

    /// <summary>Deletes a follower's folder while clients write; the node is filled from another one.</summary>
    public async Task WipeFollowerAsync(int number)
    {
        var follower = await cluster.FollowerAsync();
        await follower.KillAsync();
        var before = follower.CountInLog(" was filled from ");
        follower.Wipe();
        follower.Start();
        var began = System.Diagnostics.Stopwatch.GetTimestamp();
        await cluster.AllAsync();
        var filled = follower.CountInLog(" was filled from ") - before;
        Refills += filled;
        Console.WriteLine(
            $"wipe {number}: {follower.Name} lost its folder with {load.Count:N0} writes acknowledged; it was back after {System.Diagnostics.Stopwatch.GetElapsedTime(began).TotalSeconds:N1} s, {(filled > 0 ? "filled from another node" : "from the log alone")}"
        );
    }
}
