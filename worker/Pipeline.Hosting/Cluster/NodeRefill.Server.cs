using Pipeline.Database.Certificates;
using Pipeline.Hosting.Logging;
using Pipeline.Server.Cluster;

namespace Pipeline.Hosting.Cluster;

/// <content>The node as its server sees it: it has no database yet, and forwards requests to the leader.</content>
internal sealed partial class NodeRefill : IServerCluster
{
    /// <summary>The header with the approximate size of a copy in bytes.</summary>
    public const string CopyBytesHeader = "Pipeline-Copy-Bytes";

    /// <inheritdoc/>
    public ServerNode Self { get; }

    /// <inheritdoc/>
    public string Database => _database;

    /// <inheritdoc/>
    public bool IsFilling => true;

    /// <inheritdoc/>
    public bool Leads => false;

    /// <inheritdoc/>
    public bool HoldsLease => false;

    /// <inheritdoc/>
    public bool ReadsAtFollowers => false;

    /// <inheritdoc/>
    public IReadOnlyList<ServerNode> Nodes => _view is { } view ? [.. view.Nodes.Select(NodeOf)] : [];

    /// <inheritdoc/>
    public long TopologyVersion => 0;

    /// <inheritdoc/>
    public IReadOnlyList<CertificateThumbprint> Certificates => _client.Nodes;

    /// <inheritdoc/>
    public HttpMessageInvoker Client => _client.Invoker;

    /// <inheritdoc/>
    public ServerNode? Leader =>
        _view is { Leader: { } name } view && view.Nodes.FirstOrDefault(n => n.Node == name) is { } leader
            ? NodeOf(leader)
            : null;

    /// <inheritdoc/>
    public Task WhenChangedAsync(CancellationToken ct) => Task.Delay(Timeout.InfiniteTimeSpan, _time, ct);

    /// <inheritdoc/>
    public Task<bool> ConfirmAsync(CancellationToken ct) => Task.FromResult(false);

    /// <inheritdoc/>
    public Task WaitForPositionAsync(long position, CancellationToken ct) =>
        Task.FromException(new NotLeadingException($"'{Self.Name}' is being filled and has no copy yet."));

    /// <summary>This node's report about itself.</summary>
    public NodeView View() =>
        new(Self.Name, Self.Url.GetLeftPart(UriPartial.Authority), "filling")
        {
            Leader = Leader?.Name,
            Doing = Progress.Text,
            FilledBytes = Progress.Source is null ? null : Progress.Received,
            CopyBytes = Progress.Source is null ? null : Progress.Expected,
            Version = WorkerVersion.Text,
            Problem = Progress.Source is null ? Progress.Problem : null,
        };

    /// <summary>The leader's report about all nodes; without a leader, this node's report about itself.</summary>
    public async Task<ClusterView> DescribeAsync(CancellationToken ct)
    {
        if (Leader is { } leader)
        {
            var (view, problem) = await _client
                .TryGetAsync<ClusterView>(leader, "/cluster/status", AskTimeout, ct)
                .ConfigureAwait(false);
            if (view is not null)
            {
                _view = view;
                return view with { AskedNode = Self.Name };
            }

            ClusterLog.StatusNotKnown(_logger, Self.Name, leader.Name, problem!);
        }

        return new ClusterView(_cluster.Name, Database, _log.Name, null, 0, Self.Name, [View()]);
    }

    private static ServerNode NodeOf(NodeView node) => new(node.Node, new Uri(node.Url));
}
