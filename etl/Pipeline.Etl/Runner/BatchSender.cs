using Pipeline.Documents;

namespace Pipeline.Etl.Runner;

/// <summary>One run's sender: takes prepared batches from the queue and has each delivered.</summary>
internal sealed class BatchSender(
    TaskContext context,
    SentPosition position,
    BatchDelivery messages,
    LetterDelivery letters,
    ReplayOrder order
)
{
    /// <summary>Sends until it is cancelled or fails.</summary>
    /// <param name="batches">The batches.</param>
    /// <param name="gate">While it is closed, each sent batch wakes the waiters.</param>
    /// <param name="marker">Is told what of the script's results is durable.</param>
    /// <param name="stop">Ends it.</param>
    public async Task RunAsync(BatchQueue batches, ReadGate gate, RunMarker? marker, CancellationToken stop)
    {
        while (await position.WaitForBatchAsync(batches, stop).ConfigureAwait(false) && batches.TryRead(out var batch))
        {
            var passes = !batch.IsEmpty && !batch.LeavesPosition;
            await DeliverAsync(batch, stop).ConfigureAwait(false);
            batch.Loads?.SetDurable();
            if (passes)
                marker?.Pass(batch.Origin == BatchOrigin.Feed ? position.Value : null);
            batches.Release(batch);
            if (gate.IsClosed)
                context.Progress.Notify();
        }
    }

    private Task DeliverAsync(PreparedBatch batch, CancellationToken stop)
    {
        if (batch.Origin == BatchOrigin.Letters)
            return letters.DeliverAsync(batch, stop);
        if (batch.IsEmpty)
            return position.PassAsync(batch, stop);
        if (order.Follow(batch))
            context.Logger.ReplayEnds(context.Name);
        return messages.DeliverAsync(batch, stop);
    }
}
