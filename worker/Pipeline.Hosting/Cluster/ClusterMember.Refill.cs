using Pipeline.Cluster;
using Pipeline.Storage;

namespace Pipeline.Hosting.Cluster;

/// <content>Fills other nodes with copies of this node's stores, and has this node refilled.</content>
internal sealed partial class ClusterMember
{
    private readonly TaskCompletionSource _refill = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly string _start = Guid.NewGuid().ToString("N");
    private volatile string? _copiesTo;

    /// <summary>
    /// Begins a copy of this node's stores. There is one at a time, because each copy keeps the journal that is written
    /// while it runs.
    /// </summary>
    /// <exception cref="ClusterException">This node gives no copy now.</exception>
    public NodeCopy BeginCopy(string receiver)
    {
        if (receiver.Length is 0 or > 64)
            throw new ClusterException("node is missing: ?node=n1", isUsage: true);
        if (NodeTexts.NeedsOperator(Status))
            throw new ClusterException($"'{Self.Name}' gives no copy: {NodeTexts.ProblemOf(Status)}");
        if (Interlocked.CompareExchange(ref _copiesTo, receiver, null) is { } other)
            throw new ClusterException($"'{Self.Name}' is filling '{other}' now; ask another node, or try again later");
        try
        {
            return new NodeCopy(_database, _driver, _start, _time, () => _copiesTo = null);
        }
        catch
        {
            _copiesTo = null;
            throw;
        }
    }

    /// <summary>Sends a copy and logs the outcome.</summary>
    public async Task SendAsync(NodeCopy copy, string receiver, Stream target, CancellationToken ct)
    {
        const double MiB = 1 << 20;
        ClusterLog.Copying(_logger, Self.Name, receiver, copy.Bytes / MiB);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(ct, _stop.Token);
        try
        {
            await copy.SendAsync(target, either.Token).ConfigureAwait(false);
            ClusterLog.Copied(_logger, Self.Name, receiver, copy.Sent / MiB);
        }
        catch (Exception e)
            when (e is ClusterException or StorageException or IOException or OperationCanceledException)
        {
            ClusterLog.CopyFailed(_logger, Self.Name, receiver, copy.Sent / MiB, e);
            throw;
        }
    }

    /// <summary>Completes when this node must be reopened to be refilled.</summary>
    public Task WhenRefillAsync() => _refill.Task;

    /// <summary>Completes when this node has read the log to its end.</summary>
    public Task WhenCaughtUpAsync(CancellationToken ct) =>
        _driver.WaitAsync(s => s.IsCaughtUp || s.Role == NodeRole.Leading, ct);

    /// <summary>
    /// Abandons this node's store: its folder is set aside and exported, and the node restarts at once and is refilled.
    /// </summary>
    /// <exception cref="ClusterException">
    /// The node works, so its store must not be abandoned; or its disk has no room for a second copy.
    /// </exception>
    public void RequestRefill()
    {
        var status = Status;
        if (status is { Stop: NodeStop.None, Stall: null, Failure: null })
        {
            throw new ClusterException(
                $"'{Self.Name}' works and need not be refilled. Send the request to the node that is to be refilled: --url"
            );
        }
        if (status.Stop is NodeStop.SameName or NodeStop.NewerFormat)
            throw new ClusterException($"a new copy would not help '{Self.Name}': {NodeTexts.ProblemOf(status)}");
        if (status.Stop != NodeStop.NeedsRefill)
        {
            using (var indexes = _database.Indexes.Lease())
            {
                var bytes = CopyRoom.BytesOf(_database, indexes.Stores.Select(s => s.Store));
                CopyRoom.EnsureRoomAlongside(NativeStorageFiles.Instance, _folder, Self.Name, bytes);
            }
            SetAsideFolder.Request(_folder);
        }
        _refill.TrySetResult();
    }
}
