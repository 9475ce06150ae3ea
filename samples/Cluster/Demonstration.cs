using System.Collections.Concurrent;
using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Text.Json;

namespace ClusterSample;

/// <summary>
/// Three nodes, and clients that write all the time. The leader is killed again and again; at the end every write that
/// was acknowledged must be there.
/// </summary>
public static class Demonstration
{
    private const int Writers = 4;
    private static readonly TimeSpan Calm = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan MostAnswer = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan MostWait = TimeSpan.FromSeconds(60);

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
        var leader = await WaitForLeaderAsync(client, nodes);
        Console.WriteLine($"{nodes.Count} nodes; {leader.Name} leads. Log: {settings.Kafka ?? "a folder"}");

        var acknowledged = new ConcurrentDictionary<int, long>();
        using var stop = new CancellationTokenSource();
        var next = 0;
        var writers = Enumerable
            .Range(0, Writers)
            .Select(_ =>
                Task.Run(async () =>
                {
                    while (!stop.IsCancellationRequested)
                    {
                        var number = Interlocked.Increment(ref next);
                        await client.WriteAsync(number, CancellationToken.None);
                        acknowledged[number] = Stopwatch.GetTimestamp();
                    }
                })
            )
            .ToList();

        var failovers = new List<double>();
        for (var kill = 1; kill <= settings.Kills; kill++)
        {
            await Task.Delay(Calm);
            leader = await WaitForLeaderAsync(client, nodes);
            var killed = Stopwatch.GetTimestamp();
            var before = Volatile.Read(ref next);
            await leader.KillAsync();
            // A write that began after the death of the leader.
            while (!acknowledged.Any(a => a.Key > before && a.Value > killed))
            {
                if (writers.Find(w => w.IsFaulted) is { } failed)
                    await failed;
                if (Stopwatch.GetElapsedTime(killed) > MostWait)
                    throw new TimeoutException("no node acknowledges a write");
                await Task.Delay(1);
            }
            var first = acknowledged.Where(a => a.Key > before && a.Value > killed).Min(a => a.Value);
            failovers.Add(Stopwatch.GetElapsedTime(killed, first).TotalMilliseconds);
            var successor = await WaitForLeaderAsync(client, nodes);
            Console.WriteLine(
                $"kill {kill}: {leader.Name} was killed with {acknowledged.Count:N0} writes acknowledged; "
                    + $"{successor.Name} leads, first write after {failovers[^1]:N0} ms"
            );
            leader.Start();
            await WaitForAllAsync(client, nodes);
        }
        await Task.Delay(Calm);
        await stop.CancelAsync();
        await Task.WhenAll(writers);

        var lost = await CountLostAsync(client, acknowledged.Keys);
        Console.WriteLine(
            $"{acknowledged.Count:N0} writes were acknowledged, {lost} of them are lost; {client.Retries} requests were sent again"
        );
        await WaitForAllAsync(client, nodes);
        var verified = await client.VerifyAsync(CancellationToken.None);
        var areEqual = verified.GetProperty("areEqual").GetBoolean();
        Console.WriteLine(
            $"The stores of the nodes are {(areEqual ? "equal" : "NOT equal")} page by page at transaction {verified.GetProperty("transaction").GetInt64():N0}"
        );
        if (failovers.Count > 0)
        {
            failovers.Sort();
            Console.WriteLine(
                $"Failover, from the kill to the first acknowledged write: p50 {failovers[failovers.Count / 2]:N0} ms, longest {failovers[^1]:N0} ms, of {failovers.Count}"
            );
        }
        return lost == 0 && areEqual ? 0 : 1;
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

    private static Task<NodeProcess> WaitForLeaderAsync(Client client, List<NodeProcess> nodes) =>
        WaitAsync(
            client,
            nodes,
            status =>
                status
                    .GetProperty("nodes")
                    .EnumerateArray()
                    .Where(n => n.GetProperty("role").GetString() == "leader")
                    .Select(n => nodes.Find(p => p.Name == n.GetProperty("node").GetString()))
                    .FirstOrDefault(n => n is { Runs: true })
        );

    private static Task<NodeProcess> WaitForAllAsync(Client client, List<NodeProcess> nodes) =>
        WaitAsync(
            client,
            nodes,
            status =>
            {
                var known = status.GetProperty("nodes").EnumerateArray().ToList();
                return
                    known.Count == nodes.Count
                    && known.TrueForAll(n =>
                        n.GetProperty("role").GetString() is "leader" or "follower"
                        && (n.GetProperty("isCaughtUp").GetBoolean() || n.GetProperty("lag").GetInt64() < 100)
                    )
                    ? nodes[0]
                    : null;
            }
        );

    private static async Task<NodeProcess> WaitAsync(
        Client client,
        List<NodeProcess> nodes,
        Func<JsonElement, NodeProcess?> find
    )
    {
        var began = Stopwatch.GetTimestamp();
        while (true)
        {
            if (nodes.TrueForAll(n => !n.Runs))
                throw new InvalidOperationException($"all nodes have ended: {nodes[0].LogFile} says why");
            if (Stopwatch.GetElapsedTime(began) > MostWait)
                throw new TimeoutException($"the cluster is not ready: {nodes[0].LogFile} says why");
            using var late = new CancellationTokenSource(MostAnswer);
            if (await client.TryStatusAsync(late.Token) is { } status && find(status) is { } found)
                return found;
            await Task.Delay(50);
        }
    }

    private static List<int> FreePorts(int count)
    {
        var listeners = Enumerable.Range(0, count).Select(_ => new TcpListener(IPAddress.Loopback, 0)).ToList();
        listeners.ForEach(l => l.Start());
        var ports = listeners.Select(l => ((IPEndPoint)l.LocalEndpoint).Port).ToList();
        listeners.ForEach(l => l.Stop());
        return ports;
    }
}
