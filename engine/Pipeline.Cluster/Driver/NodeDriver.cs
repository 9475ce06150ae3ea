using System.Diagnostics.CodeAnalysis;
using Pipeline.Storage;

namespace Pipeline.Cluster;

/// <summary>
/// Runs a node in real time: one thread drives the loop and the store, a task reads the log, and each append is a task
/// whose answer returns to that thread. It retries after faults of the log and after a full disk. Thread-safe.
/// </summary>
/// <remarks>
/// The store, its position file and the log belong to the caller, and must outlive the driver.
/// <see cref="StorageEnvironment.Role"/>, <see cref="StorageEnvironment.RoleChanged"/> and
/// <see cref="StorageEnvironment.LeaderName"/> of the store inform the database above.
/// </remarks>
[SuppressMessage("Reliability", "CA1001", Justification = "DisposeAsync disposes the fields.")]
internal sealed partial class NodeDriver : ILogWriter, IAsyncDisposable
{
    private readonly StorageEnvironment _store;
    private readonly ReplicatedStore _replica;
    private readonly ISharedLog _log;
    private readonly string _name;
    private readonly DriverOptions _options;
    private readonly Func<TimeSpan> _clock;
    private readonly CancellationTokenSource _stop = new();
    private readonly object _gate = new();
    private readonly Queue<Action> _inbox = new();
    private Thread? _thread;
    private ITimer? _timer;
    private Task _reading = Task.CompletedTask;
    private Exception? _failure,
        _logProblem;
    private TimeSpan _saveAt,
        _resumeAt;
    private bool _woken,
        _ends,
        _isStarted;
    private int _disposed;
    private NodeStatus _status;
    private TaskCompletionSource _changed = NewSignal();

    /// <summary>Makes a node that does nothing before <see cref="Start"/>.</summary>
    /// <param name="store">The store, opened with <see cref="StorageOptions.IsReplica"/>.</param>
    /// <param name="file">The file that keeps its position.</param>
    /// <param name="log">The log.</param>
    /// <param name="node">Names and times of the loop. The log's largest record bounds the node's.</param>
    /// <param name="options">The clock, intervals and timeouts of the driver.</param>
    public NodeDriver(
        StorageEnvironment store,
        PositionFile file,
        ISharedLog log,
        NodeOptions node,
        DriverOptions? options = null
    )
    {
        (_store, _log, _name, _options) = (store, log, node.Name, options ?? new DriverOptions());
        _clock = NodeClock.Of(_options.Time);
        _replica = new ReplicatedStore(
            store,
            file,
            node with
            {
                MaxRecordBytes = Math.Min(node.MaxRecordBytes, log.MaxRecordBytes),
            },
            this,
            _clock
        )
        {
            Posted = Wake,
        };
        _saveAt = _clock() + _options.SaveEvery;
        _status = Describe();
    }

    /// <summary>What the node is doing.</summary>
    public NodeStatus Status => Volatile.Read(ref _status);

    /// <summary>
    /// The first place of the log that this node may still read again, even after a crash. The log may be trimmed up to
    /// the place before it.
    /// </summary>
    public long KeptPlace => _replica.KeptPlace;

    /// <summary>Starts reading the log and taking part in elections.</summary>
    /// <exception cref="InvalidOperationException">It was started before.</exception>
    public void Start()
    {
        ObjectDisposedException.ThrowIf(_disposed != 0, this);
        if (_isStarted)
            throw new InvalidOperationException($"The node '{_name}' was started before.");
        _isStarted = true;
        _thread = new Thread(Run) { IsBackground = true, Name = $"pipeline node {_name}" };
        _thread.Start();
        _timer = _options.Time.CreateTimer(_ => Wake(), null, _options.Tick, _options.Tick);
        _reading = Task.Run(ReadAsync);
    }

    /// <summary>
    /// Hands leadership over to a successor, which may begin at once. Operations already accepted land first; new ones
    /// are refused.
    /// </summary>
    /// <param name="successor">The name of the node that is to lead.</param>
    /// <param name="ct">Ends the wait, not the handover.</param>
    /// <returns>
    /// Whether the handover took place. If not, this node did not lead. A leader that must first claim again, because
    /// the log did not answer, hands over once it leads again.
    /// </returns>
    public Task<bool> HandOverAsync(string successor, CancellationToken ct = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(successor);
        return StepDownAsync(() => _replica.HandOver(successor), ct);
    }

    /// <summary>Ends the log for good. Operations already accepted land first; every node refuses new ones.</summary>
    /// <param name="next">The name of the log that continues, 1 to 255 bytes of UTF-8.</param>
    /// <param name="ct">Ends the wait. The log may end all the same.</param>
    /// <returns>Whether the log has ended. If not, this node did not lead.</returns>
    public async Task<bool> EndLogAsync(string next, CancellationToken ct = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(next);
        return await StepDownAsync(() => _replica.EndLog(next), ct).ConfigureAwait(false) && Status.HasEnded;
    }

    private async Task<bool> StepDownAsync(Action leave, CancellationToken ct)
    {
        // A node that has failed does nothing more.
        while (Status.Failure is null)
        {
            var began = DoAsync(() =>
            {
                leave();
                return (_replica.Loop.HandsOver, _replica.Loop.Role);
            });
            var (handsOver, role) = await began.WaitAsync(ct).ConfigureAwait(false);
            if (handsOver)
                await WaitAsync(s => !s.HandsOver || s.Role != NodeRole.Leading, ct).ConfigureAwait(false);
            else if (role == NodeRole.Following)
                return false;
            await WaitAsync(s => s.Role != NodeRole.Claiming, ct).ConfigureAwait(false);
            if (Status.Role != NodeRole.Leading || Status.Leader != _name)
                return Status.Failure is null;
        }
        return false;
    }

    /// <summary>
    /// Makes the log use a format from here on, if this node leads and knows it; does nothing otherwise. Every node of
    /// the cluster must know the format.
    /// </summary>
    public void UseFormat(int format) => Post(() => _replica.UseFormat(format));

    /// <summary>Makes the node claim nothing from now on, or take part in elections again.</summary>
    public void Abstain(bool abstains) => Post(() => _replica.Loop.Abstains = abstains);

    /// <summary>Waits until the node's status meets a condition.</summary>
    public async Task WaitAsync(Func<NodeStatus, bool> condition, CancellationToken ct = default)
    {
        ArgumentNullException.ThrowIfNull(condition);
        while (true)
        {
            Task changed;
            lock (_gate)
                changed = _changed.Task;
            if (condition(Status))
                return;
            ObjectDisposedException.ThrowIf(_disposed != 0 && Status.Failure is not null, this);
            await changed.WaitAsync(ct).ConfigureAwait(false);
        }
    }

    /// <summary>
    /// The published state of the store and the place in the log that belongs to it, for a copy of the store.
    /// </summary>
    /// <exception cref="CopyRefusedException">The node has stopped, so its store may differ from the log.</exception>
    public async ValueTask<CopyPoint> FindCopyPointAsync(CancellationToken ct = default)
    {
        ObjectDisposedException.ThrowIf(_disposed != 0, this);
        if (Status.Failure is { } failure)
            throw new CopyRefusedException(_name, failure.Message);
        return await DoAsync(_replica.FindCopyPoint).WaitAsync(ct).ConfigureAwait(false)
            ?? throw new CopyRefusedException(_name, Status.Stall?.Message ?? $"it has stopped: {Status.Stop}");
    }

    /// <summary>
    /// Stops the node. A leader accepts no more operations, waits for those already accepted, and becomes a follower.
    /// The store stays open and refuses writes.
    /// </summary>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _disposed, 1) != 0)
            return;
        var settling = SettleAsync();
        Post(() => _replica.EndWrites());
        var isSettled = await settling.ConfigureAwait(false);
        await _stop.CancelAsync().ConfigureAwait(false);
        await _reading.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (_timer is not null)
            await _timer.DisposeAsync().ConfigureAwait(false);
        lock (_gate)
        {
            _ends = true;
            Monitor.PulseAll(_gate);
        }
        _thread?.Join();
        if (_failure is null)
        {
            _store.Follow();
            _saveAt = TimeSpan.Zero;
            if (_replica.Stall is null)
                Save();
        }
        Fail(
            isSettled
                ? new ObjectDisposedException(nameof(NodeDriver), $"The node '{_name}' was stopped.")
                : Unconfirmed()
        );
        PublishStatus(isLast: true);
        _stop.Dispose();
    }

    /// <inheritdoc/>
    void ILogWriter.Append(long id, LogRecord record, long expected) => _ = AppendAsync(id, record.Bytes, expected);

    private static TaskCompletionSource NewSignal() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private void Run()
    {
        while (true)
        {
            lock (_gate)
            {
                while (!_woken && !_ends)
                    Monitor.Wait(_gate);
                if (_ends)
                    return;
                _woken = false;
            }
            Pump();
        }
    }

    /// <summary>
    /// Applies the records and answers of the log, advances the time, and appends what the store has sent. Only the
    /// node's thread calls it.
    /// </summary>
    private void Pump()
    {
        if (_failure is null)
        {
            try
            {
                while (TryTake(out var action))
                    action();
                _replica.Tick();
                Confirm();
                Recover();
                Save();
            }
#pragma warning disable CA1031 // After any exception the loop's state is unknown. The node stops and reports why.
            catch (Exception e)
#pragma warning restore CA1031
            {
                Fail(e);
            }
        }
        PublishStatus();
    }

    /// <summary>Runs an action on the node's thread; the task completes with its result.</summary>
    private Task<T> DoAsync<T>(Func<T> action)
    {
        var done = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
        Post(() => done.SetResult(action()));
        return done.Task;
    }

    private Task<bool> DoAsync(Action action) =>
        DoAsync(() =>
        {
            action();
            return true;
        });

    private void Post(Action action)
    {
        lock (_gate)
        {
            _inbox.Enqueue(action);
            _woken = true;
            Monitor.Pulse(_gate);
        }
    }

    private void Wake()
    {
        lock (_gate)
        {
            _woken = true;
            Monitor.Pulse(_gate);
        }
    }

    private bool TryTake([NotNullWhen(true)] out Action? action)
    {
        lock (_gate)
            return _inbox.TryDequeue(out action);
    }
}
