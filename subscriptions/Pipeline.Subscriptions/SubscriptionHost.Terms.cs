using Pipeline.Database;
using Pipeline.Storage;

namespace Pipeline.Subscriptions;

/// <content>
/// A host of a replica. It has subscriptions only while this node leads: their definitions and positions are read at the
/// beginning of each term, and nothing of them is kept after its end.
/// </content>
public sealed partial class SubscriptionHost
{
    private CancellationTokenSource _term = new();

    /// <summary>Whether the host waits for its node to lead.</summary>
    private volatile bool _isIdle;

    /// <summary>Opens a host without subscriptions, which refuses everything until <see cref="BeginTerm"/>.</summary>
    internal static SubscriptionHost OpenIdle(DocumentDatabase database, SubscriptionHostOptions options)
    {
        var host = new SubscriptionHost(database, options) { _isIdle = true };
        SubscriptionMetrics.Register(host, database.Name);
        return host;
    }

    /// <summary>Opens the subscriptions where the last leader left them.</summary>
    /// <exception cref="CursorStateException">A subscription's stored state cannot be read.</exception>
    internal void BeginTerm()
    {
        using (var snapshot = _database.OpenSnapshot())
            Load(snapshot);
        _term = CancellationTokenSource.CreateLinkedTokenSource(_stop.Token);
        _isIdle = false;
        _watching = WatchAsync(_term.Token);
    }

    /// <summary>Drops all workers and forgets the subscriptions; another node resumes them.</summary>
    internal async Task EndTermAsync()
    {
        _isIdle = true;
        await _term.CancelAsync().ConfigureAwait(false);
        await _watching.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await _change.WaitAsync().ConfigureAwait(false);
        try
        {
            Subscription[] all;
            lock (_gate)
            {
                all = [.. _open.Values];
                _open.Clear();
            }
            foreach (var subscription in all)
                await subscription.DisposeAsync().ConfigureAwait(false);
        }
        finally
        {
            _change.Release();
        }
        _term.Dispose();
    }

    private void CheckTerm()
    {
        if (_isIdle)
            throw new NotLeaderException(_database.Name, _database.Storage.LeaderName);
    }
}
