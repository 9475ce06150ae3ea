using Pipeline.IntegrationTests.Faults.Network;
using Pipeline.TestKit.Services;

namespace Pipeline.IntegrationTests.Faults;

/// <summary>All paths between brokers, nodes and clients, each through a proxy of this process.</summary>
internal sealed class FaultNetwork : IAsyncDisposable
{
    private readonly List<PathProxy> _proxies = [];
    private readonly NetworkPath[,] _log;
    private readonly NetworkPath[,] _nodes;
    private readonly NetworkPath[] _clients;
    private readonly int[,] _logPorts;
    private readonly int[] _nodePorts;

    /// <summary>Opens the proxies.</summary>
    /// <param name="brokers">The brokers; each has one listener for each node.</param>
    /// <param name="ports">The ports that the nodes listen on.</param>
    /// <param name="processOf">The process of a node, if it runs.</param>
    public FaultNetwork(KafkaCluster brokers, IReadOnlyList<int> ports, Func<int, int?> processOf)
    {
        var count = ports.Count;
        (_log, _nodes, _clients) = (
            new NetworkPath[count, KafkaCluster.Count],
            new NetworkPath[count, count],
            new NetworkPath[count]
        );
        (_logPorts, _nodePorts, ClientUrls) = (new int[count, KafkaCluster.Count], new int[count], new Uri[count]);
        for (var node = 0; node < count; node++)
        {
            var to = node;
            for (var broker = 0; broker < KafkaCluster.Count; broker++)
            {
                var path = _log[node, broker] = new NetworkPath(Name(node), $"broker {broker + 1}");
                _logPorts[node, broker] = Add(brokers.PortOf(broker, node), _ => path);
            }
            for (var from = 0; from < count; from++)
                _nodes[from, node] = new NetworkPath(Name(from), Name(node));
            _nodePorts[node] = Add(ports[node], port => _nodes[FindNode(port, count, processOf), to]);
            var client = _clients[node] = new NetworkPath("clients", Name(node));
            ClientUrls[node] = new Uri($"http://127.0.0.1:{Add(ports[node], _ => client)}");
        }
    }

    /// <summary>Where clients reach each node.</summary>
    public Uri[] ClientUrls { get; }

    /// <summary>The port at which a node reaches a broker.</summary>
    public int LogPort(int node, int broker) => _logPorts[node, broker];

    /// <summary>The port at which nodes reach a node.</summary>
    public int NodePort(int node) => _nodePorts[node];

    /// <summary>From a node to the brokers.</summary>
    public IEnumerable<NetworkPath> LogPaths(int node) =>
        Enumerable.Range(0, KafkaCluster.Count).Select(b => _log[node, b]);

    /// <summary>From a node to a broker.</summary>
    public NetworkPath LogPath(int node, int broker) => _log[node, broker];

    /// <summary>From a node to another one.</summary>
    public NetworkPath NodePath(int from, int to) => _nodes[from, to];

    /// <summary>Between a node and all others.</summary>
    public IEnumerable<NetworkPath> NodePaths(int node) =>
        Enumerable
            .Range(0, _clients.Length)
            .Where(i => i != node)
            .SelectMany(i => (NetworkPath[])[_nodes[i, node], _nodes[node, i]]);

    /// <summary>From the clients to a node.</summary>
    public NetworkPath ClientPath(int node) => _clients[node];

    /// <summary>Heals all paths.</summary>
    public void Heal()
    {
        foreach (var path in _log.Cast<NetworkPath>().Concat(_nodes.Cast<NetworkPath>()).Concat(_clients))
            path.Heal();
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var proxy in _proxies)
            await proxy.DisposeAsync();
    }

    private static string Name(int node) => $"n{node + 1}";

    // A caller that has ended already may be any node.
    private static int FindNode(int port, int count, Func<int, int?> processOf)
    {
        var processes = Enumerable.Range(0, count).Select(n => processOf(n) ?? 0).ToList();
        var found = ConnectionOwner.Find(port, [.. processes.Where(p => p > 0)]);
        return found is { } process ? processes.IndexOf(process) : 0;
    }

    private int Add(int target, Func<int, NetworkPath> find)
    {
        var proxy = new PathProxy(target, find);
        _proxies.Add(proxy);
        return proxy.Port;
    }
}
