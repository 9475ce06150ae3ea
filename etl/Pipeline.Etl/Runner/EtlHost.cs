using System.Diagnostics.Metrics;
using Pipeline.Database;
using Pipeline.Etl.Connectors;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Runner;

/// <summary>Runs all tasks of a plan, each in a loop of its own, so that one that waits or fails holds up no other. Thread-safe.</summary>
/// <remarks>At least once for every change: a position is stored only after the target's confirmation. Exactly once where the target stores the position
/// with the messages (Kafka), or a consumer drops repeated ids.</remarks>
public sealed class EtlHost : IAsyncDisposable
{
    private readonly Dictionary<string, IConnector> _connectors = new(StringComparer.Ordinal);
    private readonly List<EtlTask> _tasks = [];
    private readonly CancellationTokenSource _stop = new();
    private readonly Lock _lock = new();
    private readonly IChangeFeed _feed;
    private TaskCompletionSource _changed = NewSignal();
    private Task? _running;
    private bool _disposed;

    /// <summary>Makes connectors and tasks over a database, which must outlive the host; nothing connects or runs before <see cref="Start"/>.</summary>
    /// <param name="plan">What to run.</param>
    /// <param name="database">The open database.</param>
    /// <param name="options">Clock, logs, seed.</param>
    public EtlHost(EtlPlan plan, DocumentDatabase database, EtlHostOptions? options = null)
        : this(plan, new DatabaseChangeFeed(database), options)
    {
    }

    /// <summary>Makes connectors and tasks; nothing connects or runs before <see cref="Start"/>.</summary>
    /// <param name="plan">What to run.</param>
    /// <param name="feed">The database's change feed; it must outlive the host.</param>
    /// <param name="options">Clock, logs, seed.</param>
    public EtlHost(EtlPlan plan, IChangeFeed feed, EtlHostOptions? options = null)
    {
        options ??= new EtlHostOptions();
        _feed = feed;
        int seed = options.Seed;
        foreach (EtlTaskPlan task in plan.Tasks)
        {
            string connection = task.Connection.Name;
            if (!_connectors.TryGetValue(connection, out IConnector? connector))
            {
                var context = new ConnectorContext(connection, plan.Configuration.BaseDirectory, options.Time, options.Loggers);
                _connectors[connection] = connector = task.Connection.Create(context);
            }

            _tasks.Add(new EtlTask(task, feed, connector, options, new Random(seed++), Signal));
        }

        Gauges.Add(this);
    }

    /// <summary>The meter's and the activity source's name.</summary>
    public const string TelemetryName = EtlTelemetry.Name;

    /// <summary>Starts every task.</summary>
    /// <exception cref="InvalidOperationException">It was started before.</exception>
    public void Start()
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        lock (_lock)
        {
            if (_running is not null) throw new InvalidOperationException("The ETL host is started already.");
            _running = Task.WhenAll(_tasks.Select(task => Task.Run(() => task.RunAsync(_stop.Token))));
        }
    }

    /// <summary>Waits until every task has dealt with all changes up to a position.</summary>
    /// <param name="untilPosition">The position, for example the database's last one after an import.</param>
    /// <param name="cancellationToken">Ends the wait, not the tasks.</param>
    /// <returns><see langword="true"/> when all are there; <see langword="false"/> as soon as every task that is not there has failed in a way that another
    /// try will hardly mend (<see cref="EtlTaskState.Failed"/>). A task whose target is merely away is waited for.</returns>
    public async Task<bool> DrainAsync(long untilPosition, CancellationToken cancellationToken)
    {
        while (true)
        {
            Task changed;
            lock (_lock) changed = _changed.Task;
            bool allThere = true, canGetThere = false;
            foreach (EtlTask task in _tasks)
            {
                if (task.Progress.Position >= untilPosition) continue;
                allThere = false;
                canGetThere |= task.Progress.State is not (EtlTaskState.Failed or EtlTaskState.Stopped);
            }

            if (allThere) return true;
            if (!canGetThere) return false;
            await changed.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Stops every task; what is not confirmed is sent again at the next start. Completes when all have stopped.</summary>
    /// <param name="cancellationToken">Ends the wait.</param>
    public async Task StopAsync(CancellationToken cancellationToken = default)
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        Task? running;
        lock (_lock) running = _running;
        if (running is not null) await running.WaitAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Every task as it is now, in the file's order. Costs little; may be called often.</summary>
    public IReadOnlyList<EtlTaskStatus> GetStatus() => [.. _tasks.Select(t => t.GetStatus())];

    /// <summary>Asks each connection in use whether it would take messages now.</summary>
    /// <returns>By connection: <see langword="null"/> where it would, else why not.</returns>
    public async Task<IReadOnlyDictionary<string, string?>> CheckConnectionsAsync(CancellationToken cancellationToken)
    {
        var result = new Dictionary<string, string?>(StringComparer.Ordinal);
        foreach ((string name, IConnector connector) in _connectors)
        {
            try
            {
                await connector.CheckHealthAsync(cancellationToken).ConfigureAwait(false);
                result[name] = null;
            }
            catch (ConnectorException e)
            {
                result[name] = e.Message;
            }
        }

        return result;
    }

    /// <summary>Stops, and closes every connector.</summary>
    public async ValueTask DisposeAsync()
    {
        if (_disposed) return;
        _disposed = true;
        Gauges.Remove(this);
        await StopAsync(CancellationToken.None).ConfigureAwait(false);
        foreach (IConnector connector in _connectors.Values) await connector.DisposeAsync().ConfigureAwait(false);
        _stop.Dispose();
    }

    private static TaskCompletionSource NewSignal() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private void Signal()
    {
        TaskCompletionSource fired;
        lock (_lock) (fired, _changed) = (_changed, NewSignal());
        fired.SetResult();
    }

    /// <summary>Lag of the tasks of all hosts of the process, read when somebody collects the meter.</summary>
    private static class Gauges
    {
        private static readonly Lock HostsLock = new();
        private static readonly List<EtlHost> Hosts = [];

        static Gauges()
        {
            EtlTelemetry.Meter.CreateObservableGauge("pipeline.etl.lag", () => Measure(s => s.Lag), "{change}", "Changes between a task's position and the database's.");
            EtlTelemetry.Meter.CreateObservableGauge("pipeline.etl.state", () => Measure(s => (long)s.State), description: "0 starting, 1 running, 2 idle, 3 retrying, 4 failed, 5 stopped.");
        }

        public static void Add(EtlHost host)
        {
            lock (HostsLock) Hosts.Add(host);
        }

        public static void Remove(EtlHost host)
        {
            lock (HostsLock) Hosts.Remove(host);
        }

        private static List<Measurement<long>> Measure(Func<EtlTaskStatus, long> value)
        {
            EtlHost[] hosts;
            lock (HostsLock) hosts = [.. Hosts];
            return [.. hosts.SelectMany(h => h.GetStatus()).Select(s => new Measurement<long>(value(s), new KeyValuePair<string, object?>(EtlTelemetry.TaskTag, s.Name)))];
        }
    }
}
