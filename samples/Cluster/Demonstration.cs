using System.Net;
using System.Net.Sockets;

namespace ClusterSample;

/// <summary>
/// Three nodes, and clients that write all the time. Leaders are killed, paused and replaced, and followers lose their
/// folders. At the end every acknowledged write must be there.
/// </summary>
public static class Demonstration
{
    private static readonly TimeSpan Calm = TimeSpan.FromSeconds(2);

    /// <summary>Runs it; 0 if nothing was lost and all stores are equal.</summary>
    public static async Task<int> RunAsync(Settings settings)
    {
        // Each run starts afresh.
        if (Directory.Exists(settings.Data))
            Directory.Delete(settings.Data, recursive: true);
        Directory.CreateDirectory(settings.Data);
        var topic = "pipeline-sample-" + Guid.NewGuid().ToString("N")[..8];
        var nodes = FreePorts(3)
            .Select((port, i) => new NodeProcess($"n{i + 1}", new Uri($"http://127.0.0.1:{port}"), settings, topic))
            .ToList();
        try
        {
            foreach (var node in nodes)
                node.Start();
            return await RunAsync(settings, nodes);
        }
        finally
        {
            await Task.WhenAll(nodes.Select(n => n.StopAsync()));
            nodes.ForEach(n => n.Dispose());
        }
    }

    private static async Task<int> RunAsync(Settings settings, List<NodeProcess> nodes)
    {
        using var client = new Client([.. nodes.Select(n => n.Url)]);
        var cluster = new Cluster(client, nodes);
        var leader = await cluster.LeaderAsync();
        Console.WriteLine($"{nodes.Count} nodes; {leader.Name} leads. Log: {settings.Kafka ?? "a folder"}");

        await using var load = new Load(client);
        var faults = new Faults(cluster, load);
        foreach (
            var (count, fault) in new (int, Func<int, Task>)[]
            {
                (settings.Kills, faults.KillLeaderAsync),
                (settings.Pauses, faults.PauseLeaderAsync),
                (settings.Wipes, faults.WipeFollowerAsync),
                (settings.Handovers, faults.HandOverAsync),
            }
        )
        {
            for (var i = 1; i <= count; i++)
            {
                await Task.Delay(Calm);
                await fault(i);
            }
        }
        await Task.Delay(Calm);
        await load.DisposeAsync();

        var lost = await CountLostAsync(client, load.Acknowledged);
        Console.WriteLine(
            $"{load.Count:N0} writes were acknowledged, {lost} of them are lost; {client.Retries} requests were sent again"
        );
        Console.WriteLine(
            $"{faults.StaleReads} stale reads after {settings.Pauses} pauses; {faults.Refills} of {settings.Wipes} wiped nodes were filled from another node"
        );
        await cluster.AllAsync();
        var verified = await client.VerifyAsync(CancellationToken.None);
        var areEqual = verified.GetProperty("areEqual").GetBoolean();
        Console.WriteLine(
            $"The stores of the nodes are {(areEqual ? "equal" : "NOT equal")} page by page at transaction {verified.GetProperty("transaction").GetInt64():N0}"
        );
        Tell("Failover, from the kill to the first acknowledged write", faults.Failovers);
        Tell("Handover, longest time without an acknowledged write", faults.Handovers);
        return lost == 0 && faults.StaleReads == 0 && areEqual ? 0 : 1;
    }

    private static void Tell(string what, List<double> milliseconds)
    {
        if (milliseconds.Count == 0)
            return;
        milliseconds.Sort();
        Console.WriteLine(
            $"{what}: p50 {milliseconds[milliseconds.Count / 2]:N0} ms, longest {milliseconds[^1]:N0} ms, of {milliseconds.Count}"
        );
    }

    private static async Task<int> CountLostAsync(Client client, ICollection<int> numbers)
    {
        var lost = 0;
        await Parallel.ForEachAsync(
            numbers,
            new ParallelOptions { MaxDegreeOfParallelism = 8 },
            async (number, ct) =>
            {
                if (await client.ReadAsync(number, ct) == number)
                    return;
                Console.WriteLine($"orders/{number} is lost");
                Interlocked.Increment(ref lost);
            }
        );
        return lost;
    }

    /// <summary>
    /// Ports below those of outgoing connections, so that no connection takes the port of a node that starts again.
    /// </summary>
    private static List<int> FreePorts(int count) =>
        [.. Enumerable.Range(20_000 + Random.Shared.Next(10_000), 2_000).Where(IsFree).Take(count)];

    private static bool IsFree(int port)
    {
        using var listener = new TcpListener(IPAddress.Loopback, port);
        try
        {
            listener.Start();
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
