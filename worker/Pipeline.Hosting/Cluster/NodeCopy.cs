using Pipeline.Cluster;
using Pipeline.Database;
using Pipeline.Database.Indexes;

namespace Pipeline.Hosting.Cluster;

/// <summary>
/// One copy of this node's stores on its way to another node. The journal written meanwhile is kept until it is
/// disposed of.
/// </summary>
internal sealed class NodeCopy : IDisposable
{
    private static readonly TimeSpan StallTimeout = TimeSpan.FromMinutes(1);
    private readonly IndexLeases _indexes;
    private readonly CopySource _source;
    private readonly TimeProvider _time;
    private readonly Action _ended;
    private int _disposed;

    /// <summary>Begins a copy.</summary>
    /// <param name="database">The database to copy.</param>
    /// <param name="driver">The node that keeps it.</param>
    /// <param name="start">The id of this process.</param>
    /// <param name="time">The clock.</param>
    /// <param name="ended">Is called at the end.</param>
    public NodeCopy(DocumentDatabase database, NodeDriver driver, string start, TimeProvider time, Action ended)
    {
        (_time, _ended) = (time, ended);
        _indexes = database.Indexes.Lease();
        _source = new CopySource(
            database.Storage,
            [.. _indexes.Stores.Select(s => new CopiedStore(s.Folder, s.Store))],
            driver.FindHereAsync,
            start
        );
        Bytes = CopyRoom.BytesOf(database, _indexes.Stores.Select(s => s.Store));
    }

    /// <summary>About how many bytes it has, without writes that come during the copy.</summary>
    public long Bytes { get; }

    /// <summary>The bytes sent so far.</summary>
    public long Sent { get; private set; }

    /// <summary>Sends it. A receiver that takes nothing for a minute gets no more, because it holds the journal.</summary>
    /// <exception cref="ClusterException">The receiver took nothing.</exception>
    public async Task SendAsync(Stream target, CancellationToken ct)
    {
        using var watch = new StallWatch(StallTimeout, _time, ct);
        try
        {
            await foreach (var piece in _source.ReadAsync(watch.Token).ConfigureAwait(false))
            {
                await target.WriteAsync(piece, watch.Token).ConfigureAwait(false);
                Sent += piece.Length;
                watch.Move();
            }
            await target.FlushAsync(watch.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (watch.HasStalled)
        {
            throw new ClusterException($"the copy was given up: nothing was taken for {StallTimeout.TotalSeconds:0} s");
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _disposed, 1) != 0)
            return;
        _indexes.Dispose();
        _ended();
    }
}
