using Pipeline.Etl.Replays;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Runner;

/// <content>Applies the lag policy when the task exceeds its maximum lag.</content>
internal sealed partial class EtlTask
{
    // When the task started, or was last found not to be behind: from then it has one interval to catch up.
    private long? _judgedFrom;

    // The position in memory at the end of the last run; 0 while one begins, since the durable one may have been moved back in between.
    private long _passed;

    /// <summary>Runs until the task is stopped, fails or exceeds its maximum lag, and then applies its policy.</summary>
    /// <returns>Whether it continues; <see langword="false"/> if it was dropped.</returns>
    private async Task<bool> RunWithinLagAsync(CancellationToken stop)
    {
        if (_task.LagPolicy is not { Then: not LagAction.Keep } policy)
        {
            await RunFromDurablePositionAsync(stop).ConfigureAwait(false);
            return true;
        }

        _judgedFrom ??= _time.GetTimestamp();
        _passed = 0;
        if (_time.GetElapsedTime(_judgedFrom.Value) >= _options.CheckInterval && FindExcess(policy) is { } known) return await ActAsync(policy, known, stop).ConfigureAwait(false);
        using var turn = CancellationTokenSource.CreateLinkedTokenSource(stop);
        Task<string> watching = WatchLagAsync(policy, turn.Token);
        Task running = RunFromDurablePositionAsync(turn.Token);
        Task first = await Task.WhenAny(running, watching).ConfigureAwait(false);
        await turn.CancelAsync().ConfigureAwait(false);
        await Task.WhenAll(running, watching).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        stop.ThrowIfCancellationRequested();
        if (first == watching) return await ActAsync(policy, await watching.ConfigureAwait(false), stop).ConfigureAwait(false);
        await running.ConfigureAwait(false);
        return true;
    }

    private async Task<string> WatchLagAsync(LagPolicy policy, CancellationToken stop)
    {
        while (true)
        {
            await Task.Delay(_options.CheckInterval, _time, stop).ConfigureAwait(false);
            if (FindExcess(policy) is { } reason) return reason;
        }
    }

    /// <summary>Why the task exceeds its maximum lag, or <see langword="null"/> if it does not or already awaits a resync.</summary>
    private string? FindExcess(LagPolicy policy)
    {
        if (_feed.Measure(_consumer) is not { } measured || policy.Judge(measured, 1) is not { State: LagState.Exceeded, Reason: { } reason }) return null;
        return _feed.OpenCursor(_consumer, _feedFilter).AwaitsResync ? null : reason;
    }

    private async Task<bool> ActAsync(LagPolicy policy, string reason, CancellationToken stop)
    {
        // What the run has passed without sending is no lag.
        DurableCursor cursor = _feed.OpenCursor(_consumer, _feedFilter);
        await cursor.AcknowledgeAsync(_passed, [], stop).ConfigureAwait(false);
        if (FindExcess(policy) is null)
        {
            _judgedFrom = _time.GetTimestamp();
            return true;
        }

        await cursor.LetGoAsync(stop).ConfigureAwait(false);
        if (policy.Then == LagAction.PauseAndResync)
        {
            _logger.PausedForResync(_task.Name, reason);
            return true;
        }

        // The next start finds that the changes were released and begins with a resync.
        await _feed.UnregisterAsync(cursor.Name, stop).ConfigureAwait(false);
        _logger.Dropped(_task.Name, reason);
        _progress.Drop(new EtlTaskError($"was dropped (then: drop): {reason}. Nothing is kept for it. It begins anew, with all documents, when the worker starts anew or the task is changed", _time.GetUtcNow(), IsTransient: false, Attempts: 1));
        return false;
    }

    /// <summary>Warns of deletions that a task may have missed between its removal and its return to the configuration.</summary>
    private void WarnOfLostDeletions(DurableCursor cursor, long position)
    {
        if (!_feedFilter.Deletes || position == 0) return;
        using IFeedSnapshot snapshot = _feed.OpenSnapshot(cursor.Name);
        if (snapshot.PurgedThrough > position) _logger.DeletionsLost(_task.Name, position, snapshot.PurgedThrough);
    }

    private sealed partial class Sender
    {
        /// <summary>Continues at the feed's end and resends all documents up to there alongside new changes. Message ids are the original ones.</summary>
        public async Task BeginResyncAsync(CancellationToken stop)
        {
            long id = owner._time.GetUtcNow().UtcTicks;
            ReplayJob JobUpTo(long through) => new(0, through, null) { Id = id, IsResync = true };
            Position = await cursor.BeginResyncAsync(
                through => new FeedEffects { States = [new(ReplayJob.KeyOf(owner._task.Name), JobUpTo(through).ToBytes())] }, stop).ConfigureAwait(false);
            owner._progress.SetReplay(JobUpTo(Position).ToStatus());
            owner._progress.AwaitResync(false);
            owner._progress.MoveTo(Position);
            owner._logger.ResyncBegins(owner._task.Name, Position);
        }
    }
}
