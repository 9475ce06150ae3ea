using Pipeline.Cluster;
using Pipeline.Hosting.Metrics;
using Pipeline.Storage;

namespace Pipeline.Hosting.Cluster;

/// <content>The other nodes over time: their lags, and the changes of leader.</content>
internal sealed partial class ClusterMember
{
    private readonly ClusterHistory _history = new();
    private readonly ElectionHistory _elections;
    private Task _watching = Task.CompletedTask;
    private long _noted = -1;

    /// <summary>The lags of the last hour as this node saw them, and the last elections.</summary>
    /// <param name="span">How far to look back.</param>
    /// <param name="points">How many points of each figure at most.</param>
    public ClusterHistoryView ReadHistory(TimeSpan span, int points)
    {
        var view = _history.Read(span, points);
        return new ClusterHistoryView(view.Last, view.SecondsPerPoint, view.Series, _elections.Read());
    }

    /// <summary>Records this node and its election, before anything else that it does as leader.</summary>
    public async Task BeginTermAsync(CancellationToken ct)
    {
        var election = new Election(Status.Epoch, Self.Name, _time.GetUtcNow());
        await _registry.AddAsync(Self, ct).ConfigureAwait(false);
        await NoteAsync(election, ct).ConfigureAwait(false);
    }

    /// <summary>
    /// Records this node's election. A leader that must claim again, because the log did not answer, has a new epoch
    /// but no new term.
    /// </summary>
    private async Task NoteElectionAsync(NodeStatus status, CancellationToken ct)
    {
        if (status.Role != NodeRole.Leading || status.Leader != Self.Name || status.Epoch == Volatile.Read(ref _noted))
            return;
        using var late = CancellationTokenSource.CreateLinkedTokenSource(ct);
        late.CancelAfter(AskTimeout);
        try
        {
            await NoteAsync(new Election(status.Epoch, Self.Name, _time.GetUtcNow()), late.Token).ConfigureAwait(false);
        }
        catch (Exception e) when ((e is StorageException or OperationCanceledException) && !ct.IsCancellationRequested)
        {
            // The next round tries again, or another node leads.
            ClusterLog.NotNoted(_logger, Self.Name, status.Epoch, e.Message);
        }
    }

    private async Task NoteAsync(Election election, CancellationToken ct)
    {
        await _elections.AddAsync(election, ct).ConfigureAwait(false);
        Volatile.Write(ref _noted, election.Epoch);
    }

    private async Task WatchAsync(CancellationToken ct)
    {
        using var timer = new PeriodicTimer(HistoryView.Interval, _time);
        try
        {
            do
            {
                try
                {
                    var view = await DescribeAsync(ct).ConfigureAwait(false);
                    _history.Add(_time.GetUtcNow(), view.Nodes);
                }
                catch (StorageException)
                {
                    // A failed store knows no nodes. The history has a gap then, and the health check shows the cause.
                    _history.Add(_time.GetUtcNow(), []);
                }
            } while (await timer.WaitForNextTickAsync(ct).ConfigureAwait(false));
        }
        catch (OperationCanceledException) when (ct.IsCancellationRequested)
        {
            // The worker stops.
        }
    }
}
