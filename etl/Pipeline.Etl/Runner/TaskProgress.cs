using Pipeline.Subscriptions;

namespace Pipeline.Etl.Runner;

/// <summary>What a task shows of itself. Thread-safe; every change is followed by the given call, outside of the lock.</summary>
internal sealed class TaskProgress(TimeProvider time, Action changed)
{
    private readonly Lock _lock = new();
    private readonly RateMeter _documentRate = new(time);
    private readonly RateMeter _messageRate = new(time);
    private EtlTaskState _state = EtlTaskState.Starting;
    private EtlTaskError? _lastError;
    private DateTimeOffset? _nextTry;
    private long _position, _documents, _filtered, _messages, _bytes, _deadLetters, _retries;

    public long Position => Volatile.Read(ref _position);

    public EtlTaskState State
    {
        get
        {
            lock (_lock) return _state;
        }
    }

    public void Begin(long position) => Change(() => (_position, _state, _nextTry) = (position, EtlTaskState.Starting, null));

    public void MoveTo(long position) => Change(() => (_position, _state, _nextTry) = (position, EtlTaskState.Running, null));

    public void SetState(EtlTaskState state)
    {
        lock (_lock)
        {
            if (_state == state) return;
        }

        Change(() => (_state, _nextTry) = (state, null));
    }

    public void Fail(EtlTaskState state, EtlTaskError error, DateTimeOffset nextTry) => Change(() =>
    {
        (_state, _lastError, _nextTry) = (state, error, nextTry);
        _retries++;
    });

    public void Complete(PreparedBatch batch, long messages, long bytes, int deadLetters)
    {
        _documentRate.Add(batch.Documents);
        _messageRate.Add(messages);
        Change(() =>
        {
            (_position, _state, _nextTry) = (batch.Position, EtlTaskState.Running, null);
            _documents += batch.Documents;
            _filtered += batch.Filtered;
            _messages += messages;
            _bytes += bytes;
            _deadLetters += deadLetters;
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
                // Between the last batch and the reader's next look a task that has everything is idle.
                State = _state == EtlTaskState.Running && _position >= lastPosition ? EtlTaskState.Idle : _state,
                Position = _position,
                Lag = Math.Max(0, lastPosition - _position),
                DocumentsRead = _documents,
                DocumentsFiltered = _filtered,
                MessagesSent = _messages,
                BytesSent = _bytes,
                DeadLetters = _deadLetters,
                Retries = _retries,
                LastError = _lastError,
                NextTry = _nextTry,
                DocumentsPerSecond = _documentRate.PerSecond,
                MessagesPerSecond = _messageRate.PerSecond,
            };
        }
    }

    private void Change(Action change)
    {
        lock (_lock) change();
        changed();
    }
}
