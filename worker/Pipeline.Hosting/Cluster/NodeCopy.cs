using Pipeline.Cluster;
using Pipeline.Database;
using Pipeline.Database.Indexes;

namespace Pipeline.Hosting.Cluster;

/// <summary>
/// One copy of this node's stores that is being sent to another node. The journal written meanwhile is kept until the
/// copy is disposed.
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
    /// <param name="ended">Called when the copy is disposed.</param>
    public NodeCopy(DocumentDatabase database, NodeDriver driver, string start, TimeProvider time, Action ended)
    {
        (_time, _ended) = (time, ended);
        _indexes = database.Indexes.Lease();
        _source = new CopySource(
            database.Storage,
            [.. _indexes.Stores.Select(s => new CopiedStore(s.Folder, s.Store))],
            driver.FindCopyPointAsync,
            start
        );
        Bytes = CopyRoom.BytesOf(database, _indexes.Stores.Select(s => s.Store));
    }

    /// <summary>The approximate size in bytes, without writes that arrive during the copy.</summary>
    public long Bytes { get; }

    /// <summary>The bytes sent so far.</summary>
    public long Sent { get; private set; }

    /// <summary>
    /// Sends the copy. It is cancelled if the receiver reads nothing for a minute, because it holds the journal.
    /// </summary>
    /// <exception cref="ClusterException">The receiver read nothing for a minute.</exception>
    public async Task SendAsync(Stream target, CancellationToken ct)
    {
        using var watch = new StallWatch(StallTimeout, _time, ct);
        try
        {
            await CopyStream.SendAsync(_source, target, new Progress(this, watch), watch.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (watch.HasStalled)
        {
            throw new ClusterException(
                $"the copy was cancelled: the receiver read nothing for {StallTimeout.TotalSeconds:0} s"
            );
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

    private sealed class Progress(NodeCopy copy, StallWatch watch) : IProgress<long>
    {
        public void Report(long value)
        {
            copy.Sent = value;
            watch.Move();
        }
    }
}
