using System.Diagnostics;
using System.Text.Json;

namespace ClusterSample;

/// <summary>The processes of the nodes, and their state.</summary>
public sealed class Cluster(Client client, IReadOnlyList<NodeProcess> nodes)
{
    private static readonly TimeSpan MaxAnswer = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan MaxWait = TimeSpan.FromSeconds(60);

    /// <summary>Reads and writes at any node.</summary>
    public Client Client => client;

    /// <summary>The node that leads, once there is one.</summary>
    public Task<NodeProcess> LeaderAsync() => WaitAsync(status => WithRole(status, "leader").FirstOrDefault());

    /// <summary>A node that follows.</summary>
    public Task<NodeProcess> FollowerAsync() => WaitAsync(status => WithRole(status, "follower").FirstOrDefault());

    /// <summary>Waits until all nodes have what the leader has.</summary>
    public Task AllAsync() =>
        WaitAsync(status =>
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
        });

    private IEnumerable<NodeProcess> WithRole(JsonElement status, string role) =>
        status
            .GetProperty("nodes")
            .EnumerateArray()
            .Where(n => n.GetProperty("role").GetString() == role)
            .Select(n => nodes.First(p => p.Name == n.GetProperty("node").GetString()))
            .Where(n => n.Runs);

    private async Task<NodeProcess> WaitAsync(Func<JsonElement, NodeProcess?> find)
    {
        var began = Stopwatch.GetTimestamp();
        while (true)
        {
            if (nodes.All(n => !n.Runs))
                throw new InvalidOperationException($"all nodes have ended: {nodes[0].LogFile} says why");
            if (Stopwatch.GetElapsedTime(began) > MaxWait)
                throw new TimeoutException($"the cluster is not ready: {nodes[0].LogFile} says why");
            using var late = new CancellationTokenSource(MaxAnswer);
            if (await client.TryStatusAsync(late.Token) is { } status && find(status) is { } found)
                return found;
            await Task.Delay(50);
        }
    }
}
