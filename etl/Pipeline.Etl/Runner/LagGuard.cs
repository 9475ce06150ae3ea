using Pipeline.Subscriptions;

namespace Pipeline.Etl.Runner;

/// <summary>
/// Watches a task's lag while it runs, and applies the lag policy when the task exceeds its maximum lag.
/// </summary>
internal sealed class LagGuard(TaskContext context)
{
    // When the task started, or was last found to be within its limit. From then on it has one interval to catch up.
    private long? _judgedFrom;

    /// <summary>
    /// The position in memory at the end of the last run; 0 while one begins, since the durable one may have been moved
    /// back in between.
    /// </summary>
    public long Passed { get; set; }

    /// <summary>
    /// Runs until the task is stopped, fails or exceeds its maximum lag, and then applies its policy.
    /// </summary>
    /// <returns>Whether it continues; <see langword="false"/> if it was dropped.</returns>
    public async Task<bool> RunAsync(Func<CancellationToken, Task> run, CancellationToken stop)
    {
        if (context.Task.LagPolicy is not { Then: not LagAction.Keep } policy)
        {
            await run(stop).ConfigureAwait(false);
            return true;
        }

        _judgedFrom ??= context.Time.GetTimestamp();
        Passed = 0;
        if (
            context.Time.GetElapsedTime(_judgedFrom.Value) >= context.Options.CheckInterval
            && FindExcess(policy) is { } known
        )
        {
            return await ActAsync(policy, known, stop).ConfigureAwait(false);
        }

        using var turn = CancellationTokenSource.CreateLinkedTokenSource(stop);
        var watching = WatchAsync(policy, turn.Token);
        var running = run(turn.Token);
        var first = await Task.WhenAny(running, watching).ConfigureAwait(false);
        await turn.CancelAsync().ConfigureAwait(false);
        await Task.WhenAll(running, watching).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        stop.ThrowIfCancellationRequested();
        if (first == watching)
            return await ActAsync(policy, await watching.ConfigureAwait(false), stop).ConfigureAwait(false);
        await running.ConfigureAwait(false);
        return true;
    }

    private async Task<string> WatchAsync(LagPolicy policy, CancellationToken stop)
    {
        while (true)
        {
            await Task.Delay(context.Options.CheckInterval, context.Time, stop).ConfigureAwait(false);
            if (FindExcess(policy) is { } reason)
                return reason;
        }
    }

    /// <summary>
    /// Why the task exceeds its maximum lag, or <see langword="null"/> if it does not or already awaits a resync.
    /// </summary>
    private string? FindExcess(LagPolicy policy)
    {
        if (
            context.Feed.Measure(context.Consumer) is not { } measured
            || policy.Judge(measured, 1) is not { State: LagState.Exceeded, Reason: { } reason }
        )
        {
            return null;
        }

        return OpenCursor().AwaitsResync ? null : reason;
    }

    private async Task<bool> ActAsync(LagPolicy policy, string reason, CancellationToken stop)
    {
        // Changes that the run has passed without sending do not count as lag.
        var cursor = OpenCursor();
        await cursor.AcknowledgeAsync(Passed, [], stop).ConfigureAwait(false);
        if (FindExcess(policy) is null)
        {
            _judgedFrom = context.Time.GetTimestamp();
            return true;
        }

        await cursor.LetGoAsync(stop).ConfigureAwait(false);
        if (policy.Then == LagAction.PauseAndResync)
        {
            context.Logger.PausedForResync(context.Name, reason);
            return true;
        }

        // The next start finds that the changes were released and begins with a resync.
        await context.Feed.UnregisterAsync(cursor.Name, stop).ConfigureAwait(false);
        context.Logger.Dropped(context.Name, reason);
        context.Progress.Drop(
            new EtlTaskError(
                $"was dropped (then: drop): {reason}. Nothing is kept for it. It sends all documents again when the worker restarts or the task is changed",
                context.Time.GetUtcNow(),
                IsTransient: false,
                Attempts: 1
            )
        );
        return false;
    }

    private DurableCursor OpenCursor() => context.Feed.OpenCursor(context.Consumer, context.FeedFilter);
}
