using System.Collections.Concurrent;
using System.Threading.Channels;

namespace Pipeline.Etl.Runner;

/// <summary>
/// The batches between a run's reader and its sender. The reader works ahead by at most one batch, and batches are
/// reused.
/// </summary>
internal sealed class BatchQueue
{
    private readonly Channel<PreparedBatch> _queue = Channel.CreateBounded<PreparedBatch>(
        new BoundedChannelOptions(1) { SingleReader = true, SingleWriter = true }
    );
    private readonly InFlightGate _gate = new();

    // Sent batches, for reuse. At most three exist: one being filled, one waiting, one being sent.
    private readonly ConcurrentBag<PreparedBatch> _free = [];

    /// <summary>Whether a batch is in flight: handed on and not yet released.</summary>
    public bool IsBusy => _gate.IsBusy;

    /// <summary>Completes when nothing is in flight.</summary>
    public Task WhenEmptyAsync() => _gate.WhenEmptyAsync();

    /// <summary>An empty batch for the reader to fill.</summary>
    public PreparedBatch NewBatch()
    {
        if (!_free.TryTake(out var prepared))
            prepared = new PreparedBatch();
        prepared.Reset();
        return prepared;
    }

    /// <summary>Takes back a batch that was not handed on.</summary>
    public void TakeBack(PreparedBatch prepared) => _free.Add(prepared);

    /// <summary>Hands a batch to the sender, and waits while another one is waiting.</summary>
    public async Task HandOnAsync(PreparedBatch prepared, CancellationToken stop)
    {
        _gate.Enter();
        await _queue.Writer.WriteAsync(prepared, stop).ConfigureAwait(false);
    }

    /// <summary>Waits for a batch.</summary>
    public ValueTask<bool> WaitToReadAsync(CancellationToken stop) => _queue.Reader.WaitToReadAsync(stop);

    public bool TryRead([System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out PreparedBatch? batch) =>
        _queue.Reader.TryRead(out batch);

    /// <summary>The sender is done with a batch.</summary>
    public void Release(PreparedBatch batch)
    {
        _free.Add(batch);
        _gate.Leave();
    }
}
