using Microsoft.Extensions.Logging;
using Pipeline.Documents;

namespace Pipeline.Subscriptions;

/// <content>Measuring lag and publishing events.</content>
public sealed partial class SubscriptionHost
{
    private readonly SubscriptionHostOptions _options;
    private readonly SubscriptionEvents _events;
    private readonly ILogger _logger;
    private readonly CancellationTokenSource _stop = new();
    private readonly Dictionary<string, LagState> _lag = new(StringComparer.OrdinalIgnoreCase);
    private readonly SemaphoreSlim _checking = new(1);
    private Task _watching = Task.CompletedTask;

    /// <summary>
    /// Follows the events of subscriptions from this call on. The host never waits for a follower: a slow one receives
    /// the number of missed events.
    /// </summary>
    /// <param name="name">Only this subscription; null for all.</param>
    /// <param name="capacity">The most events that wait for the follower; the oldest are dropped first.</param>
    /// <param name="ct">Ends the enumeration.</param>
    /// <returns>The events until the host is disposed. Enumerate once, to the end or until cancelled.</returns>
    public IAsyncEnumerable<SubscriptionEvent> FollowAsync(
        string? name = null,
        int capacity = 1_024,
        CancellationToken ct = default
    )
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        return _events.Follow(name, capacity, ct);
    }

    /// <summary>
    /// Measures the lag of each subscription, applies the policies that are exceeded, and stores positions that moved
    /// past changes that are not delivered. The host calls it every
    /// <see cref="SubscriptionHostOptions.CheckInterval"/>.
    /// </summary>
    public async Task CheckLagAsync(CancellationToken ct = default)
    {
        if (_options.OnlyLooks)
            throw OnlyLooks();
        await _checking.WaitAsync(ct).ConfigureAwait(false);
        try
        {
            Subscription[] all;
            lock (_gate)
                all = [.. _open.Values];
            foreach (var subscription in all)
            {
                try
                {
                    await CheckAsync(subscription, ct).ConfigureAwait(false);
                }
                catch (SubscriptionException e) when (e.Problem == SubscriptionProblem.NotFound)
                {
                    // It was deleted in the meantime.
                    _lag.Remove(subscription.Name);
                }
            }
        }
        finally
        {
            _checking.Release();
        }
    }

    private async Task WatchAsync(CancellationToken ct)
    {
        while (true)
        {
            await Task.Delay(_options.CheckInterval, _time, ct).ConfigureAwait(false);
            try
            {
                await CheckLagAsync(ct).ConfigureAwait(false);
            }
            catch (Exception e)
                when ((e is Pipeline.Storage.StorageException or InvalidOperationException)
                    && !ct.IsCancellationRequested
                )
            {
                SubscriptionLog.NotChecked(_logger, _database.Name, e);
            }
        }
    }

    private async Task CheckAsync(Subscription subscription, CancellationToken ct)
    {
        string name = subscription.Name,
            consumer = ConsumerName(name);
        await subscription.SaveIdleAsync(ct).ConfigureAwait(false);
        if (_database.Consumers.Measure(consumer) is not { } measured)
        {
            // An older version created it and did not register it as a consumer.
            await _database
                .Consumers.SetAsync(
                    subscription.Reads.ToConsumer(consumer, Subscription.CheckpointKey(name), _time.GetUtcNow()),
                    ct
                )
                .ConfigureAwait(false);
            return;
        }

        var verdict = Judge(subscription.GetStatus(), measured);
        var former = _lag.GetValueOrDefault(name);
        _lag[name] = verdict.State;
        if (verdict.State != former)
        {
            _events.Add(
                SubscriptionEventKind.LagChanged,
                name,
                count: measured.Pending.Changes,
                position: measured.Position,
                detail: verdict.Reason is null ? verdict.State.ToString() : $"{verdict.State}: {verdict.Reason}"
            );
            if (verdict.State is LagState.Warning or LagState.Exceeded)
                SubscriptionLog.Behind(_logger, _database.Name, name, verdict.Reason!);
            else if (verdict.State == LagState.Normal)
                SubscriptionLog.CaughtUp(_logger, _database.Name, name);
        }

        if (verdict.State != LagState.Exceeded)
            return;
        var text = $"it is further behind than its policy allows: {verdict.Reason}";
        switch (subscription.Definition.MaxLag!.Then)
        {
            case LagAction.PauseAndResync:
                await ReplaceAsync(
                        name,
                        SubscriptionProblem.Behind,
                        SubscriptionEventKind.Paused,
                        $"waits for a worker, which gets all documents again: {text}",
                        d => d,
                        c => c with { Ahead = [], Again = [], Resync = new ResyncState(null) },
                        ct
                    )
                    .ConfigureAwait(false);
                _lag[name] = LagState.AwaitsResync;
                SubscriptionLog.PausedForResync(_logger, _database.Name, name, verdict.Reason!);
                break;
            case LagAction.Drop:
                await DeleteAsync(name, $"The subscription '{name}' was deleted: {text}.", ct).ConfigureAwait(false);
                _lag.Remove(name);
                SubscriptionLog.Dropped(_logger, _database.Name, name, verdict.Reason!);
                break;
        }
    }

    private LagVerdict Judge(SubscriptionStatus status, ConsumerStatus consumer)
    {
        if (status is { IsResyncing: true, ResyncThrough: null })
        {
            return new LagVerdict(
                LagState.AwaitsResync,
                0,
                "it was too far behind, and delivers all documents again when a worker connects"
            );
        }

        var verdict = status.Definition.MaxLag?.Judge(consumer, _options.WarnAt) ?? LagVerdict.Fine;
        return status.IsResyncing && verdict.State != LagState.Exceeded
            ? verdict with
            {
                State = LagState.Resyncing,
                Reason = "it delivers all documents again",
            }
            : verdict;
    }

    private static InvalidOperationException OnlyLooks() =>
        new("This host is read-only: it was opened with SubscriptionHostOptions.OnlyLooks.");
}
