using Pipeline.Documents;
using Pipeline.Etl.DeadLetters;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Runner;

/// <summary>
/// One run's reader. It makes one batch after another and hands them to the sender: dead letters that are retried, a
/// replay, and the live tail.
/// </summary>
internal sealed class ChangeReader(
    TaskContext context,
    DurableCursor cursor,
    BatchQueue batches,
    ReadGate gate,
    RunMarker? marker,
    RetryWait retry
)
{
    /// <summary>Makes the batches.</summary>
    public required LetterBatches Letters { get; init; }

    /// <inheritdoc cref="Letters"/>
    public required ReplayBatches Replay { get; init; }

    /// <inheritdoc cref="Letters"/>
    public required ChangeBatches Changes { get; init; }

    /// <summary>How many changes a batch of the live tail takes.</summary>
    public required BatchSizer Sizer { get; init; }

    /// <summary>The change that the transform fails at.</summary>
    public required FailingChange Failing { get; init; }

    /// <summary>Ends the wait for changes.</summary>
    public required WakeSignal Wake { get; init; }

    /// <summary>Reads until it is cancelled or fails.</summary>
    /// <param name="position">Where the live tail begins.</param>
    /// <param name="check">Throws when the task may not continue. Called before each batch.</param>
    /// <param name="stop">Ends it.</param>
    public async Task RunAsync(long position, Action check, CancellationToken stop)
    {
        while (true)
        {
            var isStep = await gate.EnterAsync(stop).ConfigureAwait(false);
            check();
            PreparedBatch? again;
            using (await EnterAsync(stop).ConfigureAwait(false))
                again = Letters.Prepare(position, batches, stop);
            if (again is not null)
            {
                await batches.HandOnAsync(again, stop).ConfigureAwait(false);
                gate.Leave();
                continue;
            }

            PreparedBatch? replayed;
            using (await EnterAsync(stop).ConfigureAwait(false))
                replayed = Replay.Prepare(position, batches, stop);
            if (replayed is not null)
            {
                // The live tail continues: its batches alternate with those of the replay.
                await batches.HandOnAsync(replayed, stop).ConfigureAwait(false);
                if (isStep || cursor.LastPosition <= position)
                {
                    gate.Leave();
                    continue;
                }
            }
            else
            {
                // Wait outside of the gate, so that it can be closed meanwhile.
                gate.StepAside();
                if (!await WaitForWorkAsync(position, stop).ConfigureAwait(false) || !gate.TryEnter(out isStep))
                    continue;
            }

            check();
            var prepared = batches.NewBatch();
            using (await EnterAsync(stop).ConfigureAwait(false))
                Changes.Prepare(position, isStep ? 1 : SizeAfter(position), prepared, stop);
            if (prepared.Fault is { } fault && prepared.Documents == 0)
            {
                gate.StepAside();
                prepared.Loads?.SetDurable();
                await WaitForFaultAsync(fault, stop).ConfigureAwait(false);
                batches.TakeBack(prepared);
                continue;
            }

            prepared.LeavesPosition = prepared.Position == position;
            position = prepared.Position;
            await batches.HandOnAsync(prepared, stop).ConfigureAwait(false);
            gate.Leave();
        }
    }

    /// <summary>
    /// Begins a run of the script, which ends when the result is disposed. If this process ends while the script runs,
    /// the next one finds the mark.
    /// </summary>
    private ValueTask<RunMarker.Run> EnterAsync(CancellationToken stop) => marker?.EnterAsync(stop) ?? default;

    private int SizeAfter(long position) =>
        marker is null ? Sizer.Size : Math.Min(Sizer.Size, marker.ChangesAfter(position));

    /// <summary>Returns when there are changes and either no batch is being sent or a full one is available. The next
    /// batch grows while one is being sent, so that many small changes do not become many small batches.</summary>
    /// <returns><see langword="false"/> if the task was woken for other work.</returns>
    private async Task<bool> WaitForWorkAsync(long position, CancellationToken stop)
    {
        if (cursor.LastPosition <= position)
        {
            if (!batches.IsBusy)
                context.Progress.SetState(EtlTaskState.Idle);
            // Everything was transformed, and the process survived it.
            marker?.Forgive();
            var woken = Wake.WhenSet;
            using var waiting = CancellationTokenSource.CreateLinkedTokenSource(stop);
            var change = cursor.WaitForChangeAsync(position, waiting.Token);
            if (await Task.WhenAny(change, woken).ConfigureAwait(false) == woken)
            {
                await waiting.CancelAsync().ConfigureAwait(false);
                await change.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                stop.ThrowIfCancellationRequested();
                return false;
            }

            await change.ConfigureAwait(false);
        }

        var whole = position + Sizer.Size - 1;
        if (!batches.IsBusy || cursor.LastPosition > whole)
            return true;
        using var either = CancellationTokenSource.CreateLinkedTokenSource(stop);
        var full = cursor.WaitForChangeAsync(whole, either.Token);
        await Task.WhenAny(full, batches.WhenEmptyAsync()).ConfigureAwait(false);
        await either.CancelAsync().ConfigureAwait(false);
        await full.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        stop.ThrowIfCancellationRequested();
        return true;
    }

    /// <summary>
    /// Waits for the next run over a change that fails, or stops the task once everything before it is sent.
    /// </summary>
    private async Task WaitForFaultAsync(Exception fault, CancellationToken stop)
    {
        if (fault is TaskStoppedException)
        {
            await batches.WhenEmptyAsync().WaitAsync(stop).ConfigureAwait(false);
            throw fault;
        }

        var delay = retry.Next(Failing.Runs, isTransient: true);
        if (
            !await retry
                .WaitAsync(EtlTaskState.Retrying, fault.Message, FailureClass.Script, Failing.Runs, delay, stop)
                .ConfigureAwait(false)
        )
        {
            stop.ThrowIfCancellationRequested();
        }
    }
}
