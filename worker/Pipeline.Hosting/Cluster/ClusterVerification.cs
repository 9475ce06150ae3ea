using System.Globalization;
using Pipeline.Server.Cluster;

namespace Pipeline.Hosting.Cluster;

/// <summary>What a verification found.</summary>
/// <param name="Transaction">The transaction at which the stores were compared.</param>
/// <param name="AreEqual">Whether all nodes that answered have the same bytes.</param>
/// <param name="Nodes">Each node with its digest, or why it has none.</param>
internal sealed record VerificationView(long Transaction, bool AreEqual, IReadOnlyList<NodeDigest> Nodes);

/// <summary>The digest of one node.</summary>
/// <param name="Node">The node.</param>
/// <param name="Digest">The SHA-256 over its pages; null if there is none.</param>
/// <param name="Problem">Why there is none.</param>
internal sealed record NodeDigest(string Node, string? Digest, string? Problem);

/// <content>Compares the stores of all nodes, page by page, as of one future transaction.</content>
internal sealed partial class ClusterMember
{
    private const int Attempts = 5;
    private static readonly TimeSpan ArmTime = TimeSpan.FromMilliseconds(300);
    private static readonly TimeSpan VerifyTimeout = TimeSpan.FromMinutes(10);

    /// <summary>Verifies the cluster. Only the leader can do this; writes continue meanwhile.</summary>
    /// <exception cref="ClusterException">
    /// The nodes could not agree on a transaction, because of too many writes.
    /// </exception>
    public async Task<VerificationView> VerifyAsync(CancellationToken ct)
    {
        using var late = CancellationTokenSource.CreateLinkedTokenSource(ct);
        late.CancelAfter(VerifyTimeout);
        var margin = 20L;
        for (var attempt = 0; attempt < Attempts; attempt++)
        {
            var began = _time.GetTimestamp();
            var at = _database.Storage.LastCommittedTransaction + margin;
            var digests = Task.WhenAll(Nodes.Select(n => DigestAsync(n, at, late.Token)));
            await Task.Delay(ArmTime, _time, late.Token).ConfigureAwait(false);
            var reached = _database.Storage.LastCommittedTransaction;
            // In an idle database, the verification itself writes until the agreed transaction.
            while (!digests.IsCompleted && _database.Storage.LastCommittedTransaction < at)
                await _registry.TouchAsync(late.Token).ConfigureAwait(false);
            var found = await digests.ConfigureAwait(false);
            if (found.All(d => d.Digest is not null || d.Problem is not null))
            {
                var known = found.Where(d => d.Digest is not null).Select(d => d.Digest).Distinct().Count();
                return new VerificationView(at, known == 1 && found.All(d => d.Problem is null), found);
            }
            var rate = (reached - at + margin) / _time.GetElapsedTime(began).TotalSeconds;
            margin = Math.Max(margin * 4, (long)(rate * 2));
        }
        throw new ClusterException(
            $"the nodes missed the agreed transaction {Attempts} times; verify again when fewer writes come"
        );
    }

    private async Task<NodeDigest> DigestAsync(ServerNode node, long transaction, CancellationToken ct)
    {
        try
        {
            if (node.Name == Self.Name)
                return new NodeDigest(node.Name, await DigestAsync(transaction, ct).ConfigureAwait(false), null);
            var path = string.Create(CultureInfo.InvariantCulture, $"/cluster/digest?transaction={transaction}");
            return await _client.GetAsync<NodeDigest>(node, path, ct).ConfigureAwait(false);
        }
        catch (Exception e)
            when ((e is HttpRequestException or System.Text.Json.JsonException or Storage.StorageException)
                && !ct.IsCancellationRequested
            )
        {
            return new NodeDigest(node.Name, null, e.Message);
        }
    }
}
