using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Runner;

/// <summary>The position of a run's sender in memory, which the durable one follows. Only the sender uses it.</summary>
internal sealed class SentPosition(TaskContext context, DurableCursor cursor)
{
    /// <summary>
    /// How far the position in memory may be ahead of the durable one if nothing was sent in between. A restart reads
    /// these changes again.
    /// </summary>
    private const long MaxUnstoredPositions = 16_384;

    /// <summary>
    /// How long the durable position may be behind what the task has passed without sending. Whatever measures the
    /// task's lag sees the durable one.
    /// </summary>
    private static readonly TimeSpan StoreInterval = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan StoreTimeout = TimeSpan.FromSeconds(2);
    private long _aheadSince;

    /// <summary>Everything up to this position is confirmed by the target, or did not match.</summary>
    public long Value { get; private set; } = cursor.Position;

    /// <summary>Moves to a position, which the task's status shows at once.</summary>
    public void MoveTo(long position)
    {
        Value = position;
        context.Progress.MoveTo(position);
    }

    /// <summary>
    /// Waits for the next batch. Meanwhile a position that moved without anything being sent is stored, after
    /// <see cref="StoreInterval"/>.
    /// </summary>
    public async ValueTask<bool> WaitForBatchAsync(BatchQueue batches, CancellationToken stop)
    {
        var next = batches.WaitToReadAsync(stop);
        if (Value <= cursor.Position)
        {
            _aheadSince = 0;
            return await next.ConfigureAwait(false);
        }

        if (_aheadSince == 0)
            _aheadSince = context.Time.GetTimestamp();
        var left = StoreInterval - context.Time.GetElapsedTime(_aheadSince);
        if (next.IsCompleted && left > TimeSpan.Zero)
            return await next.ConfigureAwait(false);
        var batch = next.AsTask();
        using var either = CancellationTokenSource.CreateLinkedTokenSource(stop);
        var delay = left > TimeSpan.Zero ? Task.Delay(left, context.Time, either.Token) : Task.CompletedTask;
        if (await Task.WhenAny(delay, batch).ConfigureAwait(false) == delay && !delay.IsCanceled)
        {
            await cursor.AcknowledgeAsync(Value, [], stop).ConfigureAwait(false);
            _aheadSince = 0;
        }

        await either.CancelAsync().ConfigureAwait(false);
        return await batch.ConfigureAwait(false);
    }

    /// <summary>
    /// Passes a batch without messages. Its position is stored only if the durable one is far behind.
    /// </summary>
    public async Task PassAsync(PreparedBatch batch, CancellationToken stop)
    {
        if (batch.Position - cursor.Position >= MaxUnstoredPositions)
            await cursor.AcknowledgeAsync(batch.Position, [], stop).ConfigureAwait(false);
        Complete(batch, [], 0);
    }

    /// <summary>
    /// Stores a position that moved without anything being sent, so that the next start does not read that stretch
    /// again.
    /// </summary>
    public async Task StoreSkippedAsync()
    {
        if (Value <= cursor.Position)
            return;
        using var timeout = new CancellationTokenSource(StoreTimeout, context.Time);
        await cursor.AcknowledgeAsync(Value, [], timeout.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    /// <summary>Completes a batch whose effects are durable: moves the position and updates the status.</summary>
    public void Complete(PreparedBatch batch, IEnumerable<OutgoingMessage> sent, int letters)
    {
        long count = 0,
            bytes = 0;
        foreach (var message in sent)
        {
            count++;
            bytes += message.Body.Length;
        }

        if (batch.Origin == BatchOrigin.Feed)
            Value = batch.Position;
        context.Progress.Complete(
            batch,
            Value,
            count,
            bytes,
            letters,
            context.Task.OnError == ErrorPolicy.Skip ? batch.Failures.Count : 0
        );
        if (batch.Origin == BatchOrigin.Replay)
            context.Progress.SetReplay(batch.ReplayAt);
        EtlTelemetry.Documents.Add(batch.Documents, context.Tag);
        EtlTelemetry.Filtered.Add(batch.Filtered, context.Tag);
        EtlTelemetry.Messages.Add(count, context.Tag);
        EtlTelemetry.Bytes.Add(bytes, context.Tag);
        if (letters > 0)
            EtlTelemetry.DeadLetters.Add(letters, context.Tag);
        foreach (var failure in batch.Failures)
            EtlTelemetry.Errors.Add(1, context.Tag, TaskContext.TagOf(failure));
    }
}
