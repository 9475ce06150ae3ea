using Pipeline.IntegrationTests.Faults.Network;
using Pipeline.TestKit.Services;

namespace Pipeline.IntegrationTests.Faults;

/// <summary>
/// Three sequences of faults that run at the same time: of the network, of the nodes, and of the brokers. The seed
/// decides which ones come, and for how long; one sequence has one fault at a time.
/// </summary>
/// <param name="cluster">What is disturbed.</param>
/// <param name="seed">Where the random numbers begin.</param>
/// <param name="isLong">Whether it lasts long enough for a node to stand still for a minute.</param>
/// <param name="tell">Told of each fault.</param>
internal sealed class FaultSchedule(FaultCluster cluster, int seed, bool isLong, Action<string> tell)
{
    private static readonly TimeSpan MaxStart = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan MaxRecovery = TimeSpan.FromSeconds(90);
    private static readonly (int Least, int Most) LongPause = (59_999, 60_000);
    private static readonly int[] Jumps = [-259_200, -3_600, -90, -2, 2, 90, 3_600, 259_200];
    private readonly FaultedTopic _topic = new(cluster.Brokers);

    /// <summary>Disturbs until this is cancelled, and then heals everything.</summary>
    public async Task RunAsync(CancellationToken ct)
    {
        try
        {
            await Task.WhenAll(
                RepeatAsync(new Random(seed), DisturbNetworkAsync, ct),
                RepeatAsync(new Random(seed + 1_000_000), DisturbNodeAsync, ct),
                RepeatAsync(new Random(seed + 2_000_000), DisturbBrokerAsync, ct)
            );
        }
        finally
        {
            cluster.Network.Heal();
            foreach (var node in cluster.Nodes)
                node.SetClock(TimeSpan.Zero);
            tell("all faults have ended");
        }
    }

    private static async Task RepeatAsync(
        Random random,
        Func<Random, CancellationToken, Task> disturb,
        CancellationToken ct
    )
    {
        while (await WaitAsync(random, 500, 3_000, ct))
            await disturb(random, ct);
    }

    /// <summary>Waits a random time; false if this is cancelled.</summary>
    private static async Task<bool> WaitAsync(Random random, int least, int most, CancellationToken ct)
    {
        await Task.Delay(random.Next(least, most), ct).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return !ct.IsCancellationRequested;
    }

    private async Task DisturbNetworkAsync(Random random, CancellationToken ct)
    {
        (PathMode There, PathMode Back)[] modes =
        [
            (PathMode.Cut, PathMode.Cut),
            (PathMode.Late, PathMode.Late),
            (PathMode.Swallowed, PathMode.Swallowed),
            (PathMode.Late, PathMode.Open),
            (PathMode.Open, PathMode.Late),
            (PathMode.Swallowed, PathMode.Open),
            (PathMode.Open, PathMode.Swallowed),
        ];
        var (there, back) = modes[random.Next(modes.Length)];
        var (node, other, kind) = (await ChooseAsync(random), 1 + random.Next(2), random.Next(100));
        var paths = kind switch
        {
            < 35 => [.. cluster.Network.LogPaths(node)],
            < 45 => [cluster.Network.LogPath(node, other)],
            < 60 => [cluster.Network.NodePath(node, (node + other) % FaultCluster.Count)],
            < 75 => [.. cluster.Network.NodePaths(node)],
            < 85 => [cluster.Network.ClientPath(node)],
            _ => (NetworkPath[])[.. cluster.Network.LogPaths(node), .. cluster.Network.NodePaths(node)],
        };
        tell($"network: {string.Join(", ", paths.AsEnumerable())}: requests {there}, answers {back}");
        foreach (var path in paths)
            path.Disturb(there, back);
        await WaitAsync(random, 500, 7_000, ct);
        foreach (var path in paths)
            path.Heal();
        tell($"network: {paths[0]} is healed");
    }

    private async Task DisturbNodeAsync(Random random, CancellationToken ct)
    {
        var index = await ChooseAsync(random);
        var (node, kind) = (cluster.Nodes[index], random.Next(100));
        // Starts take long on a busy machine: without this, all nodes would be down most of the time.
        if (!await cluster.WaitUntilAllAnswerAsync(MaxStart, ct))
            tell("node: not all nodes answer");
        switch (kind)
        {
            case < 25:
                tell($"node: {node.Name} is killed");
                await node.KillAsync();
                await WaitAsync(random, 100, 5_000, ct);
                node.Start();
                break;
            case < 35:
                tell($"node: {node.Name} is stopped in order{(node.Upgrade() ? ", and upgraded" : "")}");
                await node.StopAsync();
                node.Start();
                break;
            case < 57:
                var (least, most) = isLong && random.Next(8) == 0 ? LongPause : (300, 8_000);
                tell($"node: {node.Name} stands still{(least > 300 ? " for a minute" : "")}");
                node.Pause();
                await WaitAsync(random, least, most, ct);
                node.Resume();
                break;
            case < 67 when FaultClock.Missing is null:
                var jump = TimeSpan.FromSeconds(Jumps[random.Next(Jumps.Length)]);
                tell($"node: the clock of {node.Name} is {jump} ahead");
                node.SetClock(jump);
                await WaitAsync(random, 1_000, 8_000, ct);
                // Every second time it stays so: nodes then differ for long.
                if (random.Next(2) == 0)
                    node.SetClock(TimeSpan.Zero);
                break;
            case < 75:
                tell($"node: {node.Name} shall lead: {(await cluster.HandOverAsync(index)).Status}");
                return;
            case < 90 when cluster.NoDisks is null:
                tell($"node: {node.Name} has a full disk");
                cluster.FillDisk(index);
                await WaitAsync(random, 1_000, 8_000, ct);
                cluster.FreeDisk(index);
                break;
            default:
                await WipeAsync(node);
                return;
        }
        tell($"node: {node.Name} goes on");
    }

    private async Task WipeAsync(FaultNode node)
    {
        // Two wiped nodes at a time could be all that had the trimmed records.
        if (await cluster.WaitUntilWellAsync(MaxRecovery, CancellationToken.None) is { } ill)
        {
            tell($"node: none is wiped: {ill}");
            return;
        }
        tell($"node: {node.Name} is killed and wiped");
        await node.KillAsync();
        node.Wipe();
        node.Start();
        var found = await cluster.WaitUntilWellAsync(MaxRecovery, CancellationToken.None);
        tell($"node: {node.Name} is {(found is null ? "back" : "not back: " + found)}");
    }

    private async Task DisturbBrokerAsync(Random random, CancellationToken ct)
    {
        var (kind, leads) = (random.Next(100), random.Next(2) == 0);
        var leader = await _topic.FindLeaderAsync(ct);
        var broker = leads && leader is { } found ? found : random.Next(KafkaCluster.Count);
        var what = $"broker {broker + 1}{(broker == leader ? " (leader)" : "")}";
        switch (kind)
        {
            case < 25:
                tell($"broker: {what} is killed");
                await cluster.Brokers.KillAsync(broker);
                await WaitAsync(random, 100, 6_000, ct);
                await cluster.Brokers.StartAsync(broker);
                break;
            case < 45:
                tell($"broker: {what} is stopped in order");
                await cluster.Brokers.StopAsync(broker);
                tell($"broker: {what} has stopped");
                await cluster.Brokers.StartAsync(broker);
                break;
            case < 60:
                tell($"broker: {what} stands still");
                cluster.Brokers.Pause(broker);
                await WaitAsync(random, 500, 8_000, ct);
                cluster.Brokers.Resume(broker);
                break;
            case < 67:
                tell("broker: the queue's is killed");
                await cluster.Queue.KillAsync();
                await WaitAsync(random, 100, 6_000, ct);
                await cluster.Queue.ReturnAsync();
                tell("broker: the queue's goes on");
                return;
            case < 85:
                tell($"broker: {what} is killed and emptied");
                await cluster.Brokers.KillAsync(broker);
                // A broker that comes back empty before anybody noticed must not count as in sync.
                await _topic.WaitUntilOutOfSyncAsync(broker);
                await cluster.Brokers.EmptyAsync(broker);
                await cluster.Brokers.StartAsync(broker);
                break;
            default:
                tell($"broker: the preferred one leads: {await _topic.ElectPreferredAsync()}");
                return;
        }
        tell($"broker: {what} goes on");
        var isWhole = await _topic.WaitUntilInSyncAsync(MaxRecovery);
        tell($"broker: {what} is {(isWhole ? "in sync" : "NOT in sync after " + MaxRecovery)}");
    }

    /// <summary>Every second time the leader, if there is one.</summary>
    private async Task<int> ChooseAsync(Random random)
    {
        var (node, leads) = (random.Next(FaultCluster.Count), random.Next(2) == 0);
        return leads ? await cluster.FindLeaderAsync() ?? node : node;
    }
}
