using Pipeline.Cluster;
using Pipeline.Server.Cluster;

namespace Pipeline.Hosting.Cluster;

/// <content>What a node does periodically: it announces itself, and logs what changes.</content>
internal sealed partial class ClusterMember
{
    private async Task KeepUpAsync(CancellationToken ct)
    {
        string? reported = null,
            known = null;
        var (epoch, format) = (-1L, -1);
        using var timer = new PeriodicTimer(UpkeepEvery, _time);
        try
        {
            do
            {
                var status = Status;
                if (status.IsCaughtUp || status.Role == NodeRole.Leading)
                    _caughtUpAt = _time.GetTimestamp();
                var problem = NodeTexts.ProblemOf(status);
                // The stop itself tells of a silent log.
                if (problem is not null && problem != reported && status.Failure is not LogSilentException)
                {
                    if (NodeTexts.NeedsOperator(status))
                        ClusterLog.Stopped(_logger, Self.Name, problem);
                    else
                        ClusterLog.Troubled(_logger, Self.Name, problem);
                }
                reported = problem;
                if (status.Stop == NodeStop.NeedsRefill)
                    _refill.TrySetResult();
                // After a restart, the last leader that it has read about may be itself.
                var leads = status.Role == NodeRole.Leading;
                if (status.Epoch != epoch && status.Leader is { } leader && leads == (leader == Self.Name))
                {
                    epoch = status.Epoch;
                    if (leads)
                        ClusterLog.Leads(_logger, Self.Name, epoch);
                    else
                        ClusterLog.Follows(_logger, Self.Name, leader, epoch);
                }
                var nodes = string.Join(", ", _registry.Nodes.Select(n => $"{n.Name} at {n.Url}"));
                if (nodes.Length > 0 && nodes != known)
                    ClusterLog.Nodes(_logger, Self.Name, nodes);
                known = nodes;
                await JoinAsync(status, ct).ConfigureAwait(false);
                await NoteElectionAsync(status, ct).ConfigureAwait(false);
                await AnnounceAsync(ct).ConfigureAwait(false);
                UseFormat(status, ref format);
            } while (await timer.WaitForNextTickAsync(ct).ConfigureAwait(false));
        }
        catch (OperationCanceledException) when (ct.IsCancellationRequested)
        {
            // The worker stops.
        }
    }

    /// <summary>
    /// A node without a copy has joined once it has read what the log held when it started. Until then its reads would
    /// show an old or empty database.
    /// </summary>
    private async Task JoinAsync(NodeStatus status, CancellationToken ct)
    {
        if (!_isJoining)
            return;
        try
        {
            _joinedAt ??= (await _log.GetBoundsAsync(ct).ConfigureAwait(false)).End;
            _isJoining = status.Role != NodeRole.Leading && status.Place < _joinedAt;
        }
        catch (SharedLogException e)
        {
            // The next round tries again.
            ClusterLog.EndNotKnown(_logger, Self.Name, e.Message);
        }
    }

    /// <summary>
    /// Sends this node's address to the leader, if the leader has not recorded it yet. A process whose name is taken
    /// does so too, so that the leader knows of it.
    /// </summary>
    private async Task AnnounceAsync(CancellationToken ct)
    {
        var noted = _registry.Find(Self.Name);
        if (Status.Role == NodeRole.Leading || (noted == Self && _namesake is null))
            return;
        // The leader may be the other process with this name.
        if ((Status.Leader == Self.Name ? noted : Leader) is not { } leader)
            return;
        using var late = CancellationTokenSource.CreateLinkedTokenSource(ct);
        late.CancelAfter(AskTimeout);
        try
        {
            await _client
                .PostAsync(
                    leader,
                    $"/cluster/nodes?name={Uri.EscapeDataString(Self.Name)}&url={Uri.EscapeDataString(Self.Url.ToString())}&format={Self.Format}&process={_start}{(Self.Actors is { } actors ? "&actors=" + Uri.EscapeDataString(actors) : "")}",
                    late.Token
                )
                .ConfigureAwait(false);
        }
        catch (Exception e)
            when ((e is HttpRequestException or OperationCanceledException) && !ct.IsCancellationRequested)
        {
            ClusterLog.NotAnnounced(_logger, Self.Name, leader.Name, e.Message);
        }
    }

    /// <summary>
    /// Makes the log use the newest format that all known nodes know, if this node leads. A node that an operator has
    /// removed does not count; it stops if it comes back with an old program.
    /// </summary>
    private void UseFormat(NodeStatus status, ref int reported)
    {
        if (reported >= 0 && status.Format > reported)
            ClusterLog.FormatUsed(_logger, Self.Name, status.Format);
        reported = status.Format;
        var nodes = _registry.Nodes;
        if (status.Role != NodeRole.Leading || _registry.Find(Self.Name) != Self)
            return;
        var known = nodes.Min(n => n.Format);
        if (known > status.Format)
            _driver.UseFormat(known);
    }

    /// <summary>Asks all known nodes for their state; one that does not answer is unreachable.</summary>
    public async Task<ClusterView> DescribeAsync(CancellationToken ct)
    {
        var status = Status;
        var nodes = Nodes;
        if (nodes.All(n => n.Name != Self.Name))
            nodes = [.. nodes, Self];
        var views = await Task.WhenAll(nodes.Select(n => AskAsync(n, ct))).ConfigureAwait(false);
        var ahead = views.FirstOrDefault(v => v.Role == "leader" && v.Node == status.Leader)?.Transaction;
        return new ClusterView(
            _configuration.Name,
            Database,
            _log.Name,
            status.Leader,
            status.Epoch,
            Self.Name,
            _history.WithLags(views, ahead, _time.GetUtcNow())
        )
        {
            Origin = status.Origin.ToString(),
            Since = _elections.Find(status.Epoch)?.Time,
            LogUse = LogUse,
            Format = status.Format,
        };
    }

    private async Task<NodeView> AskAsync(ServerNode node, CancellationToken ct)
    {
        if (node.Name == Self.Name)
            return View();
        var (view, problem) = await TryGetAsync<NodeView>(node, "/cluster/node", ct).ConfigureAwait(false);
        if (view?.Node == node.Name)
            return view;
        return new NodeView(node.Name, node.Url.GetLeftPart(UriPartial.Authority), NodeView.Unreachable)
        {
            Problem = view is null ? problem : $"the node '{view.Node}' answers at its address",
        };
    }

    private Task<(T? Value, string? Problem)> TryGetAsync<T>(ServerNode node, string path, CancellationToken ct)
        where T : class => _client.TryGetAsync<T>(node, path, AskTimeout, ct);
}
