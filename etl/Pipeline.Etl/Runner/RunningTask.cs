using Pipeline.Etl.Records;

namespace Pipeline.Etl.Runner;

/// <summary>
/// A task of a host and its loop, which can be started and stopped separately. Used under the host's lock.
/// </summary>
internal sealed class RunningTask(EtlTask task, SharedConnector connector) : IAsyncDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private Task? _running;

    public EtlTask Task => task;

    public SharedConnector Connector => connector;

    /// <summary>Equal for tasks that need no restart.</summary>
    public string Fingerprint { get; } = TaskRecord.Fingerprint(task.Plan.Task, task.Plan.Connection);

    public void Start() => _running ??= System.Threading.Tasks.Task.Run(() => task.RunAsync(_stop.Token));

    public void RequestStop() => _stop.Cancel();

    /// <summary>Completes when it has stopped. The next instance resends unconfirmed messages.</summary>
    public Task WhenStopped => _running ?? System.Threading.Tasks.Task.CompletedTask;

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        await WhenStopped.ConfigureAwait(false);
        task.Dispose();
        _stop.Dispose();
        await connector.LeaveAsync().ConfigureAwait(false);
    }
}
