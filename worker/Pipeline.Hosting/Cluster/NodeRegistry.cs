using System.Text.Json;
using Pipeline.Database;
using Pipeline.Server.Cluster;

namespace Pipeline.Hosting.Cluster;

/// <summary>
/// The nodes and their addresses, kept in the replicated database itself. The leader writes them, and every node that
/// reads the log knows them. Thread-safe.
/// </summary>
internal sealed class NodeRegistry(DocumentDatabase database, TimeProvider time)
{
    private const string StateKey = "cluster/nodes";
    private const string TouchKey = "cluster/touched";
    private static readonly TimeSpan Freshness = TimeSpan.FromMilliseconds(200);
    private static readonly JsonSerializerOptions Json = new(JsonSerializerDefaults.Web);
    private volatile Entry _entry = new(0, new Content(0, []));

    /// <summary>How often the nodes have changed.</summary>
    public long Version => Read().Version;

    /// <summary>All nodes, by name.</summary>
    public IReadOnlyList<ServerNode> Nodes => Read().Nodes;

    /// <summary>Returns a node by its name; null if it is not known.</summary>
    public ServerNode? Find(string name) =>
        Read().Nodes.FirstOrDefault(n => string.Equals(n.Name, name, StringComparison.Ordinal));

    /// <summary>Adds a node, or changes its address. Only the leader can do this.</summary>
    /// <returns>Whether anything changed.</returns>
    public async Task<bool> AddAsync(ServerNode node, CancellationToken ct)
    {
        if (Find(node.Name) == node)
            return false;
        await ChangeAsync(nodes => [.. nodes.Where(n => n.Name != node.Name), node], ct).ConfigureAwait(false);
        return true;
    }

    /// <summary>Removes a node. Only the leader can do this.</summary>
    /// <returns>Whether it was known.</returns>
    public async Task<bool> RemoveAsync(string name, CancellationToken ct)
    {
        if (Find(name) is null)
            return false;
        await ChangeAsync(nodes => nodes.Where(n => n.Name != name), ct).ConfigureAwait(false);
        return true;
    }

    /// <summary>Commits a transaction that changes no visible data.</summary>
    public Task TouchAsync(CancellationToken ct) =>
        database.WriteAsync(
            transaction =>
            {
                var count = transaction.GetState(TouchKey) is { Length: 8 } known ? BitConverter.ToInt64(known) : 0;
                transaction.SetState(TouchKey, BitConverter.GetBytes(count + 1));
            },
            ct
        );

    private async Task ChangeAsync(Func<IEnumerable<ServerNode>, IEnumerable<ServerNode>> change, CancellationToken ct)
    {
        await database
            .WriteAsync(
                transaction =>
                {
                    var before = Parse(transaction.GetState(StateKey));
                    var after = change(before.Nodes).OrderBy(n => n.Name, StringComparer.Ordinal);
                    transaction.SetState(
                        StateKey,
                        JsonSerializer.SerializeToUtf8Bytes(new Content(before.Version + 1, [.. after]), Json)
                    );
                },
                ct
            )
            .ConfigureAwait(false);
        _entry = new Entry(0, new Content(0, []));
    }

    private Content Read()
    {
        var entry = _entry;
        if (entry.At != 0 && time.GetElapsedTime(entry.At) < Freshness)
            return entry.Content;
        using var snapshot = database.OpenSnapshot("cluster");
        var content = Parse(snapshot.GetState(StateKey));
        _entry = new Entry(time.GetTimestamp(), content);
        return content;
    }

    private static Content Parse(byte[]? state) =>
        state is null ? new Content(0, []) : JsonSerializer.Deserialize<Content>(state, Json)!;

    private sealed record Content(long Version, IReadOnlyList<ServerNode> Nodes);

    private sealed record Entry(long At, Content Content);
}
