namespace Pipeline.Hosting.Cluster;

/// <content>Checks that others reach this node at its configured address.</content>
internal sealed partial class ClusterMember
{
    private const int AddressTries = 3;
    private static readonly TimeSpan AddressRetry = TimeSpan.FromSeconds(1);

    /// <summary>
    /// Sends requests to the addresses of this node and of others, and logs each fault. Nothing else would show a wrong
    /// address: the node itself works, and only others fail to reach it.
    /// </summary>
    public async Task CheckAddressAsync(CancellationToken ct)
    {
        await CheckOwnAddressAsync(ct).ConfigureAwait(false);
        while (_registry.Find(Self.Name) is null || Leader is null)
            await Task.Delay(AddressRetry, _time, ct).ConfigureAwait(false);
        await CheckDatabaseAsync(ct).ConfigureAwait(false);
        await WatchNameAsync(ct).ConfigureAwait(false);
    }

    private async Task CheckDatabaseAsync(CancellationToken ct)
    {
        if (Leader is not { } leader || leader.Name == Self.Name)
            return;
        var (found, _) = await TryGetAsync<ClusterView>(leader, "/cluster/status", ct).ConfigureAwait(false);
        if (found is not null && found.Database != Database)
            ClusterLog.OtherDatabase(_logger, Self.Name, Database, leader.Name, found.Database);
    }

    private async Task CheckOwnAddressAsync(CancellationToken ct)
    {
        var url = Self.Url.GetLeftPart(UriPartial.Authority);
        for (var tries = 1; ; tries++)
        {
            var (found, problem) = await TryGetAsync<NodeView>(Self, "/cluster/node", ct).ConfigureAwait(false);
            if (found is not null)
            {
                if (found.Node != Self.Name)
                    ClusterLog.AddressOfOther(_logger, Self.Name, url, found.Node);
                return;
            }
            if (tries == AddressTries)
            {
                ClusterLog.NotAtAddress(_logger, Self.Name, url, problem!);
                return;
            }
            await Task.Delay(AddressRetry, _time, ct).ConfigureAwait(false);
        }
    }
}
