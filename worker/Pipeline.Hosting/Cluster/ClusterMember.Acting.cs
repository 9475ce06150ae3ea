using Pipeline.Cluster;
using Pipeline.Server.Cluster;
using Pipeline.Storage;

namespace Pipeline.Hosting.Cluster;

/// <content>The operations that an operator asks for.</content>
internal sealed partial class ClusterMember
{
    private static readonly TimeSpan HandoverTimeout = TimeSpan.FromSeconds(10);
    private const long MaxLag = 10_000;

    /// <summary>
    /// Records the addresses of a node that has started and of its actors, and the newest format that it knows.
    /// </summary>
    /// <exception cref="ClusterException">
    /// The name or address is invalid, or another process has that name and answers.
    /// </exception>
    public async Task<bool> AddAsync(
        string name,
        string url,
        int format,
        string? actors,
        string? process,
        CancellationToken ct
    )
    {
        if (name.Length is 0 or > 64 || !Uri.TryCreate(url, UriKind.Absolute, out var address))
        {
            throw new ClusterException(
                $"'{name}' at '{url}' is not a node: it needs a name of 1 to 64 characters and an absolute url",
                isUsage: true
            );
        }
        if (process is not null)
            await RefuseNamesakeAsync(name, address, process, ct).ConfigureAwait(false);
        var node = new ServerNode(name, address) { Format = format, Actors = actors };
        return await _registry.AddAsync(node, ct).ConfigureAwait(false);
    }

    /// <summary>Removes a node that was shut down for good.</summary>
    /// <exception cref="ClusterException">The node is not known, or it still runs.</exception>
    public async Task RemoveAsync(string name, CancellationToken ct)
    {
        var node = FindNode(name);
        if (name == Self.Name || (await AskAsync(node, ct).ConfigureAwait(false)).Role != NodeView.Unreachable)
        {
            throw new ClusterException(
                $"the node '{name}' still runs and would make itself known again; stop it first"
            );
        }
        // Remove its hold first: if this fails half-way, the node is still known and can be removed again.
        await _trimmer.RemoveAsync(LogHolderKind.Member, name, ct).ConfigureAwait(false);
        await _registry.RemoveAsync(name, ct).ConfigureAwait(false);
    }

    /// <summary>
    /// Hands leadership over to another node. Requests wait meanwhile; none is lost. Does nothing if the node leads
    /// already, so that a request whose answer was lost can be sent again.
    /// </summary>
    /// <returns>How long no node led, as this node saw it.</returns>
    /// <exception cref="ClusterException">
    /// The node is not known, does not answer, is far behind, or did not take over.
    /// </exception>
    public async Task<TimeSpan> HandOverAsync(string name, CancellationToken ct)
    {
        var node = FindNode(name);
        if (name == Self.Name)
            return TimeSpan.Zero;
        var view = await AskAsync(node, ct).ConfigureAwait(false);
        var lag = _database.Storage.LastCommittedTransaction - view.Transaction;
        if (view.Role != "follower" || view.Problem is not null || lag > MaxLag)
        {
            throw new ClusterException(
                $"'{name}' cannot lead now: it is {view.Role}{(lag > MaxLag ? $" and {lag:N0} transactions behind" : "")}{(view.Problem is null ? "" : ": " + view.Problem)}"
            );
        }
        ClusterLog.HandsOver(_logger, Self.Name, name);
        var began = _time.GetTimestamp();
        using var late = CancellationTokenSource.CreateLinkedTokenSource(ct);
        late.CancelAfter(HandoverTimeout);
        var epoch = Status.Epoch;
        try
        {
            if (!await _driver.HandOverAsync(name, late.Token).ConfigureAwait(false))
            {
                throw new ClusterException(
                    $"'{Self.Name}' did not hand over: it does not lead any more; ask for the status, and try again"
                );
            }
            await _driver.WaitAsync(s => s.Epoch > epoch, late.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (!ct.IsCancellationRequested)
        {
            throw new ClusterException(
                $"'{name}' did not take over within {HandoverTimeout.TotalSeconds:0} s; another node claims by itself"
            );
        }
        return _time.GetElapsedTime(began);
    }

    /// <summary>
    /// Hands over to any node that can lead, so that a planned stop delays clients only briefly. Does nothing if there
    /// is none.
    /// </summary>
    public async Task LeaveAsync(CancellationToken ct)
    {
        if (!Leads)
            return;
        foreach (var node in Nodes.Where(n => n.Name != Self.Name))
        {
            try
            {
                await HandOverAsync(node.Name, ct).ConfigureAwait(false);
                return;
            }
            catch (ClusterException e)
            {
                ClusterLog.NotHandedOver(_logger, node.Name, e.Message);
            }
        }
    }

    /// <summary>
    /// The SHA-256 of this node's store as of exactly one transaction, which must still be to come; null if it was
    /// missed.
    /// </summary>
    public async Task<string?> DigestAsync(long transaction, CancellationToken ct)
    {
        var taken = new TaskCompletionSource<ReadTransaction?>(TaskCreationOptions.RunContinuationsAsynchronously);
        var storage = _database.Storage;
        void OnCommitted(long committed)
        {
            // This runs on the thread that publishes, so the next transaction follows this call.
            if (committed < transaction || taken.Task.IsCompleted)
                return;
            var snapshot = storage.BeginRead("verify");
            if (snapshot.Id == transaction && taken.TrySetResult(snapshot))
                return;
            snapshot.Dispose();
            taken.TrySetResult(null);
        }
        storage.Committed += OnCommitted;
        try
        {
            if (storage.LastCommittedTransaction >= transaction)
                taken.TrySetResult(null);
            var snapshot = await taken.Task.WaitAsync(ct).ConfigureAwait(false);
            return snapshot is null
                ? null
                : Convert.ToHexString(await Task.Run(() => StoreEquality.Digest(snapshot), ct).ConfigureAwait(false));
        }
        finally
        {
            storage.Committed -= OnCommitted;
            // Dispose a snapshot that arrived after the wait was cancelled.
            if (!taken.TrySetResult(null))
                (await taken.Task.ConfigureAwait(false))?.Dispose();
        }
    }

    private ServerNode FindNode(string name) =>
        _registry.Find(name)
        ?? throw new ClusterException(
            $"there is no node '{name}'; there are: {string.Join(", ", _registry.Nodes.Select(n => n.Name))}",
            isUsage: true
        );
}
