using Pipeline.Cluster;
using Pipeline.Storage;

namespace Pipeline.Hosting.Cluster;

/// <content>Fills other nodes with copies of this one's stores, and has this one filled anew.</content>
internal sealed partial class ClusterMember
{
    private readonly TaskCompletionSource _refill = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly string _start = Guid.NewGuid().ToString("N");
    private volatile string? _copiesTo;

    /// <summary>
    /// Begins a copy of this node's stores. There is one at a time, because each keeps the journal that is written
    /// meanwhile.
    /// </summary>
    /// <exception cref="ClusterException">This node gives no copy now.</exception>
    public NodeCopy BeginCopy(string receiver)
    {
        if (receiver.Length is 0 or > 64)
            throw new ClusterException("node is missing: ?node=n1", isUsage: true);
        if (NodeTexts.NeedsPerson(Status))
            throw new ClusterException($"'{Self.Name}' gives no copy: {NodeTexts.ProblemOf(Status)}");
        if (Interlocked.CompareExchange(ref _copiesTo, receiver, null) is { } other)
            throw new ClusterException($"'{Self.Name}' fills '{other}' now; ask another node, or again later");
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

    /// <summary>Sends a copy, and logs how that went.</summary>
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

    /// <summary>Completes when this node must be opened anew to be filled.</summary>
    public Task WhenRefillAsync() => _refill.Task;

    /// <summary>Completes when this node has read the log to its end.</summary>
    public Task WhenCaughtUpAsync(CancellationToken ct) =>
        _driver.WaitAsync(s => s.IsCaughtUp || s.Role == NodeRole.Leading, ct);

    /// <summary>
    /// Gives this node's store up: its folder is set aside and exported, and the node is filled anew at its next start,
    /// which follows at once.
    /// </summary>
    /// <exception cref="ClusterException">
    /// The node works, so nothing must be given up; or its disk has no room for a second copy.
    /// </exception>
    public void RequestRefill()
    {
        var status = Status;
        if (status is { Stop: NodeStop.None, Stall: null, Failure: null })
        {
            throw new ClusterException(
                $"'{Self.Name}' works, and has nothing to be filled with. Ask the node itself that is to be filled: --url"
            );
        }
        if (status.Stop is NodeStop.SameName or NodeStop.NewerFormat)
            throw new ClusterException($"a new copy would not help '{Self.Name}': {NodeTexts.ProblemOf(status)}");
        if (status.Stop != NodeStop.NeedsRefill)
        {
            using (var indexes = _database.Indexes.Lease())
            {
                var bytes = CopyRoom.BytesOf(_database, indexes.Stores.Select(s => s.Store));
                CopyRoom.DemandBeside(NativeStorageFiles.Instance, _folder, Self.Name, bytes);
            }
            SetAsideFolder.Want(_folder);
        }
        _refill.TrySetResult();
    }
}
