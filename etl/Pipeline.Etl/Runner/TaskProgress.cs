using Pipeline.Etl.Connectors;
using Pipeline.Etl.DeadLetters;
using Pipeline.Etl.Replays;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Runner;

/// <summary>
/// The status of a task. After every change it calls the given action, outside of the lock. Thread-safe.
/// </summary>
internal sealed class TaskProgress(TimeProvider time, Action changed)
{
    private readonly Lock _lock = new();
    private readonly RateMeter _documentRate = new(time);
    private readonly RateMeter _messageRate = new(time);
    private EtlTaskState _state = EtlTaskState.Starting;
    private EtlTaskError? _lastError;
    private DateTimeOffset? _nextTry;
    private readonly long[] _errors = new long[Enum.GetValues<FailureClass>().Length];
    private readonly long[] _retries = new long[Enum.GetValues<FailureClass>().Length];
    private ReplayStatus? _replay;
    private bool _awaitsResync;
    private TaskConflict? _conflict;
    private TimeSpan _extract,
        _transform,
        _send;
    private long _position,
        _documents,
        _filtered,
        _messages,
        _bytes,
        _deadLetters,
        _batches,
        _lettersDone,
        _lettersFailed,
        _skipped;

    public long Position => Volatile.Read(ref _position);

    public EtlTaskState State
    {
        get
        {
            lock (_lock)
                return _state;
        }
    }

    /// <summary>Whether a replay is in progress or a resync is pending.</summary>
    public bool IsReplaying
    {
        get
        {
            lock (_lock)
                return _replay is not null || _awaitsResync;
        }
    }

    public void Begin(long position, ReplayStatus? replay, bool awaitsResync) =>
        Change(() =>
            (_position, _state, _nextTry, _replay, _awaitsResync) = (
                position,
                EtlTaskState.Starting,
                null,
                replay,
                awaitsResync
            )
        );

    /// <summary>Makes waiters check again.</summary>
    public void Notify() => changed();

    public void MoveTo(long position) =>
        Change(() => (_position, _state, _nextTry) = (position, EtlTaskState.Running, null));

    public void SetState(EtlTaskState state)
    {
        lock (_lock)
        {
            if (_state == state)
                return;
        }

        Change(() => (_state, _nextTry) = (state, null));
    }

    public void Fail(EtlTaskState state, EtlTaskError error, FailureClass failure, DateTimeOffset nextTry) =>
        Change(() =>
        {
            (_state, _lastError, _nextTry) = (state, error, nextTry);
            _retries[(int)failure]++;
        });

    public void AwaitResync(bool awaits) => Change(() => _awaitsResync = awaits);

    /// <summary>Records that the task has stopped and will not retry by itself.</summary>
    public void Drop(EtlTaskError error) =>
        Change(() => (_state, _lastError, _nextTry) = (EtlTaskState.Failed, error, null));

    /// <summary>
    /// Records that the task waits for a person's decision and will not retry by itself. <see langword="null"/> lets it
    /// run.
    /// </summary>
    public void Block(TaskConflict? conflict) =>
        Change(() =>
        {
            _conflict = conflict;
            if (conflict is null)
                return;
            (_state, _position, _nextTry) = (EtlTaskState.Blocked, conflict.Position, null);
            _lastError = new EtlTaskError(conflict.Reason, conflict.Since, IsTransient: false, Attempts: 1);
        });

    public void SetReplay(ReplayStatus? replay) => Change(() => _replay = replay);

    public void AddTimes(TimeSpan extract = default, TimeSpan transform = default, TimeSpan send = default)
    {
        lock (_lock)
            (_extract, _transform, _send) = (_extract + extract, _transform + transform, _send + send);
    }

    /// <summary>Adds dead letters that were retried.</summary>
    public void AddLetters(int done, int failed)
    {
        lock (_lock)
            (_lettersDone, _lettersFailed) = (_lettersDone + done, _lettersFailed + failed);
    }

    public void Complete(PreparedBatch batch, long position, long messages, long bytes, int deadLetters, int skipped)
    {
        _documentRate.Add(batch.Documents);
        _messageRate.Add(messages);
        Change(() =>
        {
            (_state, _position, _nextTry) = (EtlTaskState.Running, position, null);
            foreach (var failure in batch.Failures)
                _errors[(int)failure]++;
            _documents += batch.Documents;
            _filtered += batch.Filtered;
            _messages += messages;
            _bytes += bytes;
            _deadLetters += deadLetters;
            _skipped += skipped;
            if (messages > 0)
                _batches++;
        });
    }

    public EtlTaskStatus Snapshot(string name, string connection, string kind, long lastPosition)
    {
        lock (_lock)
        {
            return new EtlTaskStatus
            {
                Name = name,
                Connection = connection,
                Kind = kind,
                // Between the last batch and the reader's next check, a task that has sent everything is idle.
                State = _state == EtlTaskState.Running && _position >= lastPosition ? EtlTaskState.Idle : _state,
                Position = _position,
                Lag = Math.Max(0, lastPosition - _position),
                DocumentsRead = _documents,
                DocumentsFiltered = _filtered,
                MessagesSent = _messages,
                BytesSent = _bytes,
                DeadLetters = _deadLetters,
                LettersDone = _lettersDone,
                LettersFailed = _lettersFailed,
                Skipped = _skipped,
                Batches = _batches,
                Retries = _retries.Sum(),
                RetriesByClass = ByClass(_retries),
                Replay = _replay,
                IsResyncing = _awaitsResync || _replay is { IsResync: true },
                Times = new EtlTaskTimes(_extract.TotalSeconds, _transform.TotalSeconds, _send.TotalSeconds),
                Errors = ByClass(_errors),
                LastError = _lastError,
                Conflict = _conflict,
                NextTry = _nextTry,
                DocumentsPerSecond = _documentRate.PerSecond,
                MessagesPerSecond = _messageRate.PerSecond,
            };
        }
    }

    private static Dictionary<FailureClass, long> ByClass(long[] counts) =>
        Enum.GetValues<FailureClass>().Where(c => counts[(int)c] > 0).ToDictionary(c => c, c => counts[(int)c]);

    private void Change(Action change)
    {
        lock (_lock)
            change();
        changed();
    }
}
