namespace Pipeline.Etl.Runner;

/// <summary>
/// A gate that a task's reader passes before each batch. It is open, or closed except for single steps. Thread-safe.
/// </summary>
/// <param name="changed">Called after each change of <see cref="IsAtRest"/> while the gate is closed.</param>
internal sealed class ReadGate(Action changed)
{
    private readonly Lock _lock = new();
    private TaskCompletionSource _opened = Completed();
    private bool _closed;
    private bool _hasStep;
    private bool _inside;

    /// <summary>Whether the gate is closed, so that the reader needs a step for each batch.</summary>
    public bool IsClosed => Volatile.Read(ref _closed);

    /// <summary>Whether it is closed and the reader reads nothing.</summary>
    public bool IsAtRest
    {
        get
        {
            lock (_lock)
                return _closed && !_inside && !_hasStep;
        }
    }

    public void Close()
    {
        lock (_lock)
        {
            if (_closed)
                return;
            _closed = true;
            _opened = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        }
    }

    public void Open()
    {
        lock (_lock)
        {
            (_closed, _hasStep) = (false, false);
            _opened.TrySetResult();
        }
    }

    /// <summary>Lets the reader make one batch: one change, some dead letters, or a part of a replay.</summary>
    public void AllowStep()
    {
        lock (_lock)
        {
            if (!_closed)
                return;
            _hasStep = true;
            _opened.TrySetResult();
        }
    }

    /// <summary>Withdraws a step that the reader has not begun.</summary>
    public void WithdrawStep()
    {
        lock (_lock)
        {
            if (_inside || !_hasStep)
                return;
            EndStep();
        }
    }

    /// <summary>Waits until the reader may continue.</summary>
    /// <returns>Whether only for a step.</returns>
    public async ValueTask<bool> EnterAsync(CancellationToken cancellationToken)
    {
        bool isStep;
        while (!TryEnter(out isStep))
        {
            Task opened;
            lock (_lock)
                opened = _opened.Task;
            await opened.WaitAsync(cancellationToken).ConfigureAwait(false);
        }

        return isStep;
    }

    /// <summary>Enters if the reader may continue.</summary>
    public bool TryEnter(out bool isStep)
    {
        lock (_lock)
        {
            isStep = _closed;
            return _inside = !_closed || _hasStep;
        }
    }

    /// <summary>Leaves the gate: the reader has made its batch.</summary>
    public void Leave()
    {
        lock (_lock)
        {
            _inside = false;
            if (_closed)
                EndStep();
        }

        if (IsClosed)
            changed();
    }

    /// <summary>
    /// Leaves the gate without a batch: the reader has nothing to do yet, or failed. A step stays allowed.
    /// </summary>
    public void StepAside()
    {
        lock (_lock)
            _inside = false;
        if (IsClosed)
            changed();
    }

    private void EndStep()
    {
        if (_hasStep)
            _opened = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _hasStep = false;
    }

    private static TaskCompletionSource Completed()
    {
        var source = new TaskCompletionSource();
        source.SetResult();
        return source;
    }
}
