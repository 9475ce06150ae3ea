using System.Text;
using Pipeline.Cluster;

namespace Pipeline.Hosting.Cluster;

/// <summary>How a log was ended.</summary>
/// <param name="Next">The log that continues.</param>
/// <param name="Transaction">The last transaction.</param>
/// <param name="Nodes">The nodes that have read the end.</param>
/// <param name="Behind">The nodes that have not, or did not answer.</param>
internal sealed record LogEndView(
    string Next,
    long Transaction,
    IReadOnlyList<string> Nodes,
    IReadOnlyList<string> Behind
);

/// <content>Ends the log, so that another one continues.</content>
internal sealed partial class ClusterMember
{
    private static readonly TimeSpan EndAskEvery = TimeSpan.FromMilliseconds(200);

    /// <summary>
    /// Ends the log for good, so that another one continues. Writes already accepted land first; then no node accepts
    /// any. Waits until the nodes have read the end, or a timeout.
    /// </summary>
    /// <exception cref="ClusterException">The name is invalid, or this node does not lead.</exception>
    public async Task<LogEndView> EndLogAsync(string next, CancellationToken ct)
    {
        if (Encoding.UTF8.GetByteCount(next) is 0 or > LogRecord.MaxNameBytes)
        {
            throw new ClusterException(
                $"the name of the next log must have 1 to {LogRecord.MaxNameBytes} bytes of UTF-8",
                isUsage: true
            );
        }
        using var late = CancellationTokenSource.CreateLinkedTokenSource(ct);
        late.CancelAfter(HandoverTimeout);
        try
        {
            if (!await _driver.EndLogAsync(next, late.Token).ConfigureAwait(false))
            {
                throw new ClusterException(
                    $"'{Self.Name}' did not end the log: it does not lead any more; ask for the status, and try again"
                );
            }
        }
        catch (OperationCanceledException) when (!ct.IsCancellationRequested)
        {
            throw new ClusterException(
                $"the log did not confirm its end within {HandoverTimeout.TotalSeconds:0} s; ask for the status"
            );
        }
        ClusterLog.Ended(_logger, Self.Name, _log.Name, next);
        var transaction = _database.Storage.LastCommittedTransaction;
        var nodes = Nodes;
        while (true)
        {
            var views = await Task.WhenAll(nodes.Select(n => AskAsync(n, ct))).ConfigureAwait(false);
            List<string> behind = [.. views.Where(v => !v.HasEnded).Select(v => v.Node)];
            if (behind.Count == 0 || late.IsCancellationRequested)
                return new LogEndView(next, transaction, [.. nodes.Select(n => n.Name).Except(behind)], behind);
            await Task.Delay(EndAskEvery, _time, ct).ConfigureAwait(false);
        }
    }
}
