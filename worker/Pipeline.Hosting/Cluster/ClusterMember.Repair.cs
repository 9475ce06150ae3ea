using System.Globalization;
using Pipeline.Server.Cluster;
using Pipeline.Storage;

namespace Pipeline.Hosting.Cluster;

/// <content>Gives pages to nodes whose own are damaged, and fetches pages for this one.</content>
internal sealed partial class ClusterMember : IPageSource
{
    /// <summary>The header with the transaction that a page was read in.</summary>
    public const string TransactionHeader = "Pipeline-Transaction";

    private static readonly TimeSpan PageTimeout = TimeSpan.FromSeconds(10);

    /// <summary>Copies a page of this node's store for another node.</summary>
    /// <param name="page">The page, or a run's first.</param>
    /// <param name="transaction">The copy is as of this transaction or a later one.</param>
    /// <param name="ct">Ends the wait for the transaction.</param>
    /// <exception cref="ClusterException">This node cannot give the page.</exception>
    public async Task<PageCopy> CopyPageAsync(long page, long transaction, CancellationToken ct)
    {
        using var late = CancellationTokenSource.CreateLinkedTokenSource(ct);
        late.CancelAfter(AskTimeout);
        try
        {
            if (NodeTexts.NeedsOperator(Status))
                throw new ClusterException($"'{Self.Name}' gives no page: {NodeTexts.ProblemOf(Status)}");
            await _driver
                .WaitAsync(_ => _database.Storage.LastCommittedTransaction >= transaction, late.Token)
                .ConfigureAwait(false);
            return _database.Storage.CopyPage(page, Self.Name)
                ?? throw new ClusterException($"'{Self.Name}' does not use page {page}");
        }
        catch (OperationCanceledException) when (!ct.IsCancellationRequested)
        {
            throw new ClusterException(
                $"'{Self.Name}' has not reached transaction {transaction} within {AskTimeout.TotalSeconds:0} s"
            );
        }
        catch (CorruptPageException e)
        {
            throw new ClusterException($"'{Self.Name}' gives no page: {e.Message}");
        }
    }

    /// <inheritdoc/>
    async Task<PageCopy?> IPageSource.FetchAsync(long page, long transaction, CancellationToken ct)
    {
        foreach (var node in Nodes.Where(n => n.Name != Self.Name))
        {
            using var late = CancellationTokenSource.CreateLinkedTokenSource(ct, _stop.Token);
            late.CancelAfter(PageTimeout);
            try
            {
                return await FetchAsync(node, page, transaction, late.Token).ConfigureAwait(false);
            }
            catch (Exception e)
                when (e is HttpRequestException or IOException or OperationCanceledException or ObjectDisposedException
                    && !ct.IsCancellationRequested
                )
            {
                ClusterLog.PageNotFetched(_logger, Self.Name, page, node.Name, e.Message);
            }
        }
        return null;
    }

    private async Task<PageCopy> FetchAsync(ServerNode node, long page, long transaction, CancellationToken ct)
    {
        var path = string.Create(CultureInfo.InvariantCulture, $"/cluster/page?page={page}&transaction={transaction}");
        using var answer = await _client.BeginAsync(node, path, ct).ConfigureAwait(false);
        var bytes = await answer.Content.ReadAsByteArrayAsync(ct).ConfigureAwait(false);
        return
            answer.Headers.TryGetValues(TransactionHeader, out var values)
            && long.TryParse(values.Single(), NumberStyles.None, CultureInfo.InvariantCulture, out var at)
            ? new PageCopy(bytes, at, node.Name)
            : throw new HttpRequestException($"{node.Name} answered {path} without the header {TransactionHeader}.");
    }
}
