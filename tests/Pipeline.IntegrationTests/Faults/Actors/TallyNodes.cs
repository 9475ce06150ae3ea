using System.Text.Json;
using Pipeline.IntegrationTests.Faults.Network;
using Pipeline.TestKit.Services;

namespace Pipeline.IntegrationTests.Faults.Actors;

/// <summary>
/// Three workers whose actor systems form one cluster. Actors of different nodes talk through proxies, which can be cut;
/// everything else goes straight.
/// </summary>
internal sealed class TallyNodes : IAsyncDisposable
{
    /// <summary>How many nodes there are.</summary>
    public const int Count = 3;
    private readonly NetworkPath[,] _paths = new NetworkPath[Count, Count];
    private readonly List<PathProxy> _proxies = [];
    private readonly FaultClient _client;

    /// <summary>Writes the configurations and starts the nodes.</summary>
    /// <param name="folder">Where data and messages are.</param>
    /// <param name="log">The log, as YAML of <c>cluster.log</c>.</param>
    public TallyNodes(string folder, string log)
    {
        var ports = Enumerable.Range(0, Count).Select(_ => FreePorts.Find(3)).ToList();
        List<Uri> urls = [.. ports.Select(p => new Uri($"http://127.0.0.1:{p}"))];
        Doors = [.. ports.Select(p => new Uri($"http://127.0.0.1:{p + 2}"))];
        _client = new FaultClient(urls, TimeSpan.FromSeconds(5));
        Nodes = new FaultNode[Count];
        for (var node = 0; node < Count; node++)
        {
            var to = node;
            for (var from = 0; from < Count; from++)
                _paths[from, to] = new NetworkPath($"n{from + 1}", $"n{to + 1}");
            var proxy = new PathProxy(ports[node] + 1, port => _paths[Find(port), to]);
            _proxies.Add(proxy);
            var name = $"n{node + 1}";
            File.WriteAllText(
                Path.Combine(folder, name + ".hocon"),
                $"tallies.port = {ports[node] + 2}\nakka.remote.dot-netty.tcp.port = {ports[node] + 1}"
            );
            var configuration = Path.Combine(folder, name + ".yaml");
            File.WriteAllText(
                configuration,
                $$"""
                version: 1
                database: { name: shop, path: ./{{name}} }
                cluster: { name: tallies, node: {{name}}, url: "{{urls[
                    node
                ].AbsoluteUri}}", log: { {{log}} } }
                server: { url: "{{urls[node].AbsoluteUri}}" }
                actors:
                  start: {{typeof(TallyStart).FullName}}
                  assembly: "{{typeof(TallyStart).Assembly.Location}}"
                  hocon: ./{{name}}.hocon
                  cluster: { port: {{proxy.Port}} }
                """
            );
            var data = Path.Combine(folder, name);
            Nodes[node] = new FaultNode(name, configuration, data, ports[node], Path.Combine(folder, name + ".log"));
            Nodes[node].Start();
        }
    }

    public FaultNode[] Nodes { get; }

    /// <summary>Where clients reach the tallies.</summary>
    public IReadOnlyList<Uri> Doors { get; }

    /// <summary>Cuts a node's actors off from those of the other nodes.</summary>
    public void Cut(int node)
    {
        foreach (var path in PathsOf(node))
            path.Disturb(PathMode.Cut, PathMode.Cut);
    }

    /// <summary>Lets them talk again.</summary>
    public void Heal(int node)
    {
        foreach (var path in PathsOf(node))
            path.Heal();
    }

    /// <summary>The node that leads; null if none does or none answers.</summary>
    public async Task<int?> FindLeaderAsync()
    {
        for (var node = 0; node < Count; node++)
        {
            if (await ViewAsync(node, "/cluster/node") is { } view && view.GetProperty("role").GetString() == "leader")
            {
                return node;
            }
        }
        return null;
    }

    /// <summary>What a node answers; null if it does not.</summary>
    public async Task<JsonElement?> ViewAsync(int node, string path)
    {
        if (Nodes[node].ProcessId is null)
            return null;
        var answer = await _client.SendAsync(node, HttpMethod.Get, path);
        return answer.Json;
    }

    /// <summary>Whether a node answers, and its actors have joined the cluster.</summary>
    public async Task<bool> HasJoinedAsync(int node) =>
        await ViewAsync(node, "/health/ready") is { } health
        && health.ToString().Contains("they have joined", StringComparison.Ordinal)
        && !health.ToString().Contains("not joined", StringComparison.Ordinal);

    /// <summary>Reads all events of the tallies.</summary>
    /// <param name="node">The node that leads.</param>
    public async Task<IReadOnlyList<Written>> ReadEventsAsync(int node)
    {
        var events = new List<Written>();
        for (var tally = 0; tally < TallyClients.Count; tally++)
        {
            var path = $"/databases/shop/docs?startsWith=events/tally-{tally}/&pageSize=1000000";
            var documents = await ViewAsync(node, path);
            foreach (var document in documents!.Value.GetProperty("Results").EnumerateArray())
            {
                var counted = document.GetProperty("Event");
                events.Add(
                    new Written(
                        tally,
                        document.GetProperty("SequenceNumber").GetInt64(),
                        counted.GetProperty("Request").GetString()!,
                        counted.GetProperty("Run").GetString()!
                    )
                );
            }
        }
        return events;
    }

    public async ValueTask DisposeAsync()
    {
        await Task.WhenAll(Nodes.Select(n => n.DisposeAsync().AsTask()));
        foreach (var proxy in _proxies)
            await proxy.DisposeAsync();
        _client.Dispose();
    }

    private IEnumerable<NetworkPath> PathsOf(int node) =>
        Enumerable.Range(0, Count).Where(i => i != node).SelectMany(i => new[] { _paths[i, node], _paths[node, i] });

    private int Find(int port)
    {
        var processes = Nodes.Select(n => n?.ProcessId ?? 0).ToList();
        return ConnectionOwner.Find(port, [.. processes.Where(p => p > 0)]) is { } found ? processes.IndexOf(found) : 0;
    }
}
