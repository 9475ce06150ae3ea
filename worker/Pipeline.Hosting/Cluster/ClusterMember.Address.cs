using System.Text.Json;
using Pipeline.Server.Cluster;

namespace Pipeline.Hosting.Cluster;

/// <content>Whether others reach this node where its configuration says.</content>
internal sealed partial class ClusterMember
{
    private const int AddressTries = 3;
    private const int NameLooks = 5;
    private static readonly TimeSpan AddressRetry = TimeSpan.FromSeconds(1);

    /// <summary>
    /// Asks this node and others at their addresses, and logs what is wrong. Nothing else would tell: the node works,
    /// and only others fail to reach it or its database.
    /// </summary>
    public async Task CheckAddressAsync(CancellationToken ct)
    {
        await CheckOwnAddressAsync(ct).ConfigureAwait(false);
        while (_registry.Find(Self.Name) is null || Leader is null)
            await Task.Delay(AddressRetry, _time, ct).ConfigureAwait(false);
        await CheckDatabaseAsync(ct).ConfigureAwait(false);
        // Two followers of one name note their addresses in turns.
        for (var look = 0; look < NameLooks; look++)
        {
            if (await HasNamesakeAsync(ct).ConfigureAwait(false))
                return;
            await Task.Delay(AddressRetry, _time, ct).ConfigureAwait(false);
        }
    }

    /// <summary>Whether another process answers by this node's name, where its name was last noted.</summary>
    private async Task<bool> HasNamesakeAsync(CancellationToken ct)
    {
        if (_registry.Find(Self.Name) is not { } noted || noted.Url == Self.Url)
            return false;
        var found = await TryGetAsync<NodeView>(noted, "/cluster/node", ct).ConfigureAwait(false);
        if (found is null || found.Node != Self.Name || new Uri(found.Url) == Self.Url)
            return false;
        ClusterLog.NameTaken(_logger, Self.Name, found.Url);
        return true;
    }

    private async Task CheckDatabaseAsync(CancellationToken ct)
    {
        if (Leader is not { } leader || leader.Name == Self.Name)
            return;
        var found = await TryGetAsync<ClusterView>(leader, "/cluster/status", ct).ConfigureAwait(false);
        if (found is not null && found.Database != Database)
            ClusterLog.OtherDatabase(_logger, Self.Name, Database, leader.Name, found.Database);
    }

    private async Task<T?> TryGetAsync<T>(ServerNode node, string path, CancellationToken ct)
        where T : class
    {
        using var late = CancellationTokenSource.CreateLinkedTokenSource(ct);
        late.CancelAfter(AskTimeout);
        try
        {
            return await _client.GetAsync<T>(node, path, late.Token).ConfigureAwait(false);
        }
        catch (Exception e)
            when ((e is HttpRequestException or OperationCanceledException or JsonException)
                && !ct.IsCancellationRequested
            )
        {
            return null; // its own problem, which the status shows
        }
    }

    private async Task CheckOwnAddressAsync(CancellationToken ct)
    {
        var url = Self.Url.GetLeftPart(UriPartial.Authority);
        for (var tries = 1; ; tries++)
        {
            using var late = CancellationTokenSource.CreateLinkedTokenSource(ct);
            late.CancelAfter(AskTimeout);
            try
            {
                var found = await _client.GetAsync<NodeView>(Self, "/cluster/node", late.Token).ConfigureAwait(false);
                if (found.Node != Self.Name)
                    ClusterLog.AddressOfOther(_logger, Self.Name, url, found.Node);
                return;
            }
            catch (Exception e)
                when ((e is HttpRequestException or OperationCanceledException or JsonException)
                    && !ct.IsCancellationRequested
                )
            {
                if (tries == AddressTries)
                {
                    var reason =
                        e is OperationCanceledException ? $"no answer within {AskTimeout.TotalSeconds:0} s" : e.Message;
                    ClusterLog.NotAtAddress(_logger, Self.Name, url, reason);
                    return;
                }
            }
            await Task.Delay(AddressRetry, _time, ct).ConfigureAwait(false);
        }
    }
}
