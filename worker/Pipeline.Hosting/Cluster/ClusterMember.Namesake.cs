using Pipeline.Cluster;
using Pipeline.Server.Cluster;

namespace Pipeline.Hosting.Cluster;

/// <content>
/// Another process with this node's name. The member is the process at the address that the leader has recorded; the
/// other one is refused, claims nothing and reports no place, until the member no longer answers.
/// </content>
internal sealed partial class ClusterMember
{
    private static readonly TimeSpan NameEvery = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan NameTimeout = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan NamesakeMemory = TimeSpan.FromSeconds(10);

    /// <summary>The address of the process that has this node's name; null if there is none.</summary>
    private volatile string? _namesake;

    /// <summary>At the leader: the last process that was refused because its name is taken.</summary>
    private volatile RefusedName? _refused;

    /// <summary>What is wrong with this node, or with the names of the cluster; null if nothing is wrong.</summary>
    public string? Problem =>
        NodeTexts.ProblemOf(Status)
        ?? (_namesake is { } url ? NodeTexts.NameTaken(url) : null)
        ?? (
            _refused is { } refused && Leads && _time.GetElapsedTime(refused.At) < NamesakeMemory
                ? NodeTexts.NameShared(refused.Name, refused.First, refused.Second)
                : null
        );

    /// <summary>Looks for another process with this node's name for as long as the node runs.</summary>
    private async Task WatchNameAsync(CancellationToken ct)
    {
        while (true)
        {
            var found = await FindNamesakeAsync(ct).ConfigureAwait(false);
            if (found != _namesake)
            {
                _namesake = found;
                _driver.Abstain(found is not null);
                if (found is null)
                    ClusterLog.NameFree(_logger, Self.Name);
                else
                    ClusterLog.NameTaken(_logger, Self.Name, found);
            }
            await Task.Delay(NameEvery, _time, ct).ConfigureAwait(false);
        }
    }

    /// <summary>
    /// The address at which another process answers with this node's name: the one recorded for it, or its own.
    /// </summary>
    private async Task<string?> FindNamesakeAsync(CancellationToken ct)
    {
        // A leader has a claim in the log that no other process of its name has followed with records.
        if (Status.Role == NodeRole.Leading)
            return null;
        foreach (var place in new[] { _registry.Find(Self.Name), Self }.OfType<ServerNode>().DistinctBy(n => n.Url))
        {
            if (await HasOtherProcessAsync(place, _start, AskTimeout, ct).ConfigureAwait(false))
                return place.Url.GetLeftPart(UriPartial.Authority);
        }
        return null;
    }

    /// <summary>Refuses a process if another one has its name, and answers at the recorded address.</summary>
    /// <exception cref="ClusterException">Another process has the name.</exception>
    private async Task RefuseNamesakeAsync(string name, Uri url, string process, CancellationToken ct)
    {
        if (_registry.Find(name) is not { } known)
            return;
        var isTaken =
            name == Self.Name
                ? process != _start
                : await HasOtherProcessAsync(known, process, NameTimeout, ct).ConfigureAwait(false);
        if (!isTaken)
            return;
        if (_refused is not { } last || (last.Name, last.Second) != (name, url))
            ClusterLog.NameShared(_logger, name, known.Url, url);
        _refused = new RefusedName(name, known.Url, url, _time.GetTimestamp());
        throw new ClusterException(NodeTexts.NameShared(name, known.Url, url));
    }

    private async Task<bool> HasOtherProcessAsync(
        ServerNode node,
        string process,
        TimeSpan timeout,
        CancellationToken ct
    )
    {
        var (found, _) = await _client.TryGetAsync<NodeView>(node, "/cluster/node", timeout, ct).ConfigureAwait(false);
        return found is { Process: { } other } && found.Node == node.Name && other != process;
    }

    private sealed record RefusedName(string Name, Uri First, Uri Second, long At);
}
