using System.Diagnostics.Metrics;
using System.Globalization;
using Pipeline.Database;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.DeadLetters;
using Pipeline.Etl.Records;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Runner;

/// <summary>
/// Runs all tasks of a plan, each in its own loop, so that a task that waits or fails does not delay the others.
/// Thread-safe.
/// </summary>
/// <remarks>Delivers every change at least once, since a position is stored only after the target's confirmation.
/// Delivers exactly once if the target stores the position with the messages (Kafka) or a consumer deduplicates by
/// id.</remarks>
public sealed partial class EtlHost : IAsyncDisposable
{
    private readonly Lock _lock = new();
    private readonly SemaphoreSlim _changing = new(1, 1);
    private readonly IChangeFeed _feed;
    private readonly EtlHostOptions _options;
    private readonly DeadLetterCounter _letters;
    private volatile RunningTask[] _tasks;
    private TaskCompletionSource _changed = NewSignal();
    private int _seed;
    private bool _started;
    private bool _stopped;
    private bool _disposed;

    /// <summary>
    /// Makes connectors and tasks over a database, which must outlive the host; nothing connects or runs before
    /// <see cref="Start"/>.
    /// </summary>
    /// <param name="plan">What to run.</param>
    /// <param name="database">The open database.</param>
    /// <param name="options">Clock, logs, seed.</param>
    public EtlHost(EtlPlan plan, DocumentDatabase database, EtlHostOptions? options = null)
        : this(plan, new DatabaseChangeFeed(database), options) { }

    /// <summary>Makes connectors and tasks; nothing connects or runs before <see cref="Start"/>.</summary>
    /// <param name="plan">What to run.</param>
    /// <param name="feed">The database's change feed; it must outlive the host.</param>
    /// <param name="options">Clock, logs, seed.</param>
    public EtlHost(EtlPlan plan, IChangeFeed feed, EtlHostOptions? options = null)
    {
        _options = options ?? new EtlHostOptions();
        _feed = feed;
        _letters = new DeadLetterCounter(feed);
        _seed = _options.Seed;
        _tasks = [];
        var tasks = new List<RunningTask>();
        foreach (var task in plan.Tasks)
            tasks.Add(NewTask(task, plan.BaseDirectory, tasks));
        _tasks = [.. tasks];
        Gauges.Add(this);
    }

    /// <summary>The meter's and the activity source's name.</summary>
    public const string TelemetryName = EtlTelemetry.Name;

    /// <summary>Starts every task.</summary>
    /// <exception cref="InvalidOperationException">The host was already started.</exception>
    public void Start()
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        lock (_lock)
        {
            if (_started)
                throw new InvalidOperationException("The ETL host has already been started.");
            _started = true;
            foreach (var task in _tasks)
                task.Start();
        }
    }

    /// <summary>Changes to another plan. Unchanged tasks continue undisturbed, all others stop, and new or changed
    /// tasks start from their durable positions. On completion, all tasks that had to stop have stopped. The database
    /// then knows the new plan, and applying it again changes nothing.</summary>
    /// <param name="plan">The plan to run from now on.</param>
    /// <param name="cancellationToken">Ends the wait for another change; a change that has begun is completed.</param>
    public async Task ApplyAsync(EtlPlan plan, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(plan);
        await _changing.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            var before = _tasks;
            var next = plan.Tasks.ToDictionary(
                t => t.Task.Name,
                t => TaskRecord.Fingerprint(t.Task, t.Connection),
                StringComparer.Ordinal
            );
            List<RunningTask> kept =
            [
                .. before.Where(t => next.GetValueOrDefault(t.Task.Plan.Task.Name) == t.Fingerprint),
            ];
            RunningTask[] ended = [.. before.Except(kept)];

            // A target may allow only one instance per name at a time.
            _tasks = [.. kept];
            foreach (var task in ended)
                task.RequestStop();
            foreach (var task in ended)
                await task.DisposeAsync().ConfigureAwait(false);
            var tasks = new List<RunningTask>();
            var started = 0;
            foreach (var task in plan.Tasks)
            {
                var same = kept.Find(t => t.Task.Plan.Task.Name == task.Task.Name);
                if (same is null)
                    started++;
                tasks.Add(same ?? NewTask(task, plan.BaseDirectory, [.. kept, .. tasks]));
            }

            bool runs;
            lock (_lock)
            {
                _tasks = [.. tasks];
                runs = _started && !_stopped;
                if (runs)
                {
                    foreach (var task in tasks)
                        task.Start();
                }
            }

            Signal();
            if (runs)
            {
                foreach (var task in tasks.Except(kept))
                    await task.Task.RegisterAsync(CancellationToken.None).ConfigureAwait(false);
            }

            _options.Loggers.CreateLogger("Pipeline.Etl").Applied(started, ended.Length, kept.Count);
        }
        finally
        {
            _changing.Release();
        }
    }

    /// <summary>Makes a task look for a new replay or decision. Does nothing if there is no such task.</summary>
    /// <param name="task">The task's name.</param>
    public void Wake(string task) => Array.Find(_tasks, t => t.Task.Plan.Task.Name == task)?.Task.Wake();

    /// <summary>
    /// Waits until every task has processed all changes up to a position, its marked dead letters and its replay.
    /// </summary>
    /// <param name="untilPosition">The position, for example the database's last one after an import.</param>
    /// <param name="cancellationToken">Ends the wait, not the tasks.</param>
    /// <param name="only">The task to wait for, or <see langword="null"/> for all.</param>
    /// <returns><see langword="true"/> when all tasks are done. <see langword="false"/> as soon as every other task is
    /// paused or has failed in a way that a retry is unlikely to fix (<see cref="EtlTaskState.Failed"/>). A task whose
    /// target is merely unavailable is waited for.</returns>
    public async Task<bool> DrainAsync(long untilPosition, CancellationToken cancellationToken, string? only = null)
    {
        while (true)
        {
            Task changed;
            lock (_lock)
                changed = _changed.Task;
            bool allThere = true,
                canGetThere = false;
            foreach (var task in _tasks.Select(t => t.Task))
            {
                if (
                    (task.HasDone(untilPosition) && task.Progress.State != EtlTaskState.Blocked)
                    || (only is not null && task.Plan.Task.Name != only)
                )
                {
                    continue;
                }

                allThere = false;
                canGetThere |=
                    task.Progress.State is not (EtlTaskState.Failed or EtlTaskState.Stopped or EtlTaskState.Blocked)
                    && !task.ReadGate.IsClosed;
            }

            if (allThere)
                return true;
            if (!canGetThere)
                return false;
            await changed.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>
    /// Stops every task. The next start resends unconfirmed messages. Completes when all tasks have stopped.
    /// </summary>
    /// <param name="cancellationToken">Ends the wait.</param>
    public async Task StopAsync(CancellationToken cancellationToken = default)
    {
        RunningTask[] tasks;
        lock (_lock)
            (tasks, _stopped) = (_tasks, true);
        foreach (var task in tasks)
            task.RequestStop();
        await Task.WhenAll(tasks.Select(t => t.WhenStopped)).WaitAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>The current status of every task, in the file's order. Cheap; may be called often.</summary>
    public IReadOnlyList<EtlTaskStatus> GetStatus() => [.. _tasks.Select(t => t.Task.GetStatus())];

    /// <summary>
    /// The number of stored dead letters by task, including tasks that do not run. The cost grows with the changes
    /// since the last call.
    /// </summary>
    internal IReadOnlyDictionary<string, long> CountDeadLetters() => _letters.Count();

    /// <summary>Asks all connections in use, in parallel, whether they would accept messages now.</summary>
    /// <param name="timeout">The timeout of each check.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>For each connection: <see langword="null"/> if it would, otherwise the reason why not.</returns>
    public async Task<IReadOnlyDictionary<string, string?>> CheckConnectionsAsync(
        TimeSpan timeout,
        CancellationToken cancellationToken
    )
    {
        (string Name, IConnector Connector)[] connections =
        [
            .. _tasks.Select(t => (t.Connector.Name, t.Connector.Connector)).DistinctBy(c => c.Name),
        ];
        var answers = await Task.WhenAll(
                connections.Select(c => CheckConnectionAsync(c.Connector, timeout, cancellationToken))
            )
            .ConfigureAwait(false);
        return connections.Zip(answers).ToDictionary(c => c.First.Name, c => c.Second, StringComparer.Ordinal);
    }

    /// <summary>Stops, and closes every connector.</summary>
    public async ValueTask DisposeAsync()
    {
        if (_disposed)
            return;
        _disposed = true;
        Gauges.Remove(this);
        await _changing.WaitAsync().ConfigureAwait(false);
        await StopAsync(CancellationToken.None).ConfigureAwait(false);
        foreach (var task in _tasks)
            await task.DisposeAsync().ConfigureAwait(false);
        _changing.Release();
    }

    private async Task<string?> CheckConnectionAsync(
        IConnector connector,
        TimeSpan timeout,
        CancellationToken cancellationToken
    )
    {
        using var late = new CancellationTokenSource(timeout, _options.Time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(late.Token, cancellationToken);
        try
        {
            await Task.Run(() => connector.CheckHealthAsync(either.Token).AsTask(), either.Token)
                .WaitAsync(either.Token)
                .ConfigureAwait(false);
            return null;
        }
        catch (ConnectorException e)
        {
            return e.Message;
        }
        catch (OperationCanceledException)
            when (late.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
            return string.Create(CultureInfo.InvariantCulture, $"it did not answer within {timeout.TotalSeconds} s");
        }
    }

    /// <summary>Creates a task. Its connector is shared with other tasks that have the same options.</summary>
    private RunningTask NewTask(EtlTaskPlan task, string baseDirectory, List<RunningTask> others)
    {
        var fingerprint = TaskRecord.Fingerprint(task.Connection);
        var shared = others
            .Select(t => t.Connector)
            .FirstOrDefault(c => c.Name == task.Connection.Name && c.Fingerprint == fingerprint);
        shared ??= new SharedConnector(
            task.Connection.Create(
                new ConnectorContext(task.Connection.Name, baseDirectory, _options.Time, _options.Loggers)
            ),
            task.Connection.Name,
            fingerprint
        );
        return new RunningTask(
            new EtlTask(task, _feed, shared.Connector, _options, new Random(_seed++), Signal),
            shared.Enter()
        );
    }

    private static TaskCompletionSource NewSignal() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private void Signal()
    {
        TaskCompletionSource fired;
        lock (_lock)
            (fired, _changed) = (_changed, NewSignal());
        fired.SetResult();
    }

    /// <summary>The lag of the tasks of all hosts in the process, read when the meter is collected.</summary>
    private static class Gauges
    {
        private static readonly Lock HostsLock = new();
        private static readonly List<EtlHost> Hosts = [];

        static Gauges()
        {
            EtlTelemetry.Meter.CreateObservableGauge(
                "pipeline.etl.lag",
                () => Measure(s => s.Lag),
                "{change}",
                "Changes between a task's position and the database's last position."
            );
            EtlTelemetry.Meter.CreateObservableGauge(
                "pipeline.etl.state",
                () => Measure(s => (long)s.State),
                description: "State of a task: 0 starting, 1 running, 2 idle, 3 retrying, 4 failed, 5 stopped, 6 blocked."
            );
            EtlTelemetry.Meter.CreateObservableGauge(
                "pipeline.etl.dead_letters.stored",
                () => Measure(CountOpen),
                "{document}",
                "Dead letters in the database."
            );
        }

        public static void Add(EtlHost host)
        {
            lock (HostsLock)
                Hosts.Add(host);
        }

        public static void Remove(EtlHost host)
        {
            lock (HostsLock)
                Hosts.Remove(host);
        }

        private static IEnumerable<KeyValuePair<string, long>> CountOpen(EtlHost host)
        {
            try
            {
                return host.CountDeadLetters();
            }
            catch (ObjectDisposedException)
            {
                // The database is being closed, so its figures end here. Those of others stay.
                return [];
            }
        }

        private static List<Measurement<long>> Measure(Func<EtlTaskStatus, long> value) =>
            Measure(h => h.GetStatus().Select(s => KeyValuePair.Create(s.Name, value(s))));

        private static List<Measurement<long>> Measure(Func<EtlHost, IEnumerable<KeyValuePair<string, long>>> values)
        {
            EtlHost[] hosts;
            lock (HostsLock)
                hosts = [.. Hosts];
            return
            [
                .. hosts
                    .SelectMany(values)
                    .Select(v => new Measurement<long>(
                        v.Value,
                        new KeyValuePair<string, object?>(EtlTelemetry.TaskTag, v.Key)
                    )),
            ];
        }
    }
}
