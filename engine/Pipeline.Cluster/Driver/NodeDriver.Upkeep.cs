using Pipeline.Storage;

namespace Pipeline.Cluster;

/// <content>Stalls, faults, the kept position, and the status.</content>
internal sealed partial class NodeDriver
{
    /// <summary>Goes on after a full disk. Other stalls stay, and no caller waits for an answer.</summary>
    private void Recover()
    {
        if (_replica.Stall is not { } stall)
        {
            _resumeAt = default;
            return;
        }
        _store.Follow();
        if (stall is not (DiskFullException or ScratchFullException))
            return;
        var now = _clock();
        if (_resumeAt == default)
            _resumeAt = now + _options.StallRetry;
        else if (now >= _resumeAt)
            _replica.Resume(_options.NewStart());
    }

    private void Save()
    {
        var now = _clock();
        if (now < _saveAt)
            return;
        _saveAt = now + _options.SaveEvery;
        try
        {
            _replica.SavePosition();
        }
        catch (Exception e) when (e is IOException or StorageException)
        {
            // An older position costs reading. The store notices by itself if its disk fails.
            _logProblem ??= e;
        }
    }

    private void Fail(Exception e)
    {
        if (_failure is not null)
            return;
        _failure = e;
        try
        {
            _store.Follow();
        }
        catch (ObjectDisposedException)
        {
            // Closed before its node: nobody waits for it any more.
            _failure = e;
        }
    }

    private NodeStatus Describe()
    {
        var loop = _replica.Loop;
        return new NodeStatus(
            _failure is null ? loop.Role : NodeRole.Stopped,
            loop.LeaderName,
            loop.Known.Epoch,
            loop.Place,
            _store.Role == StorageRole.Leader && !loop.HandsOver && _replica.Stall is null && _failure is null
        )
        {
            Stop = loop.Stop,
            HandsOver = loop.HandsOver,
            HasEnded = loop.HasEnded,
            NextLog = loop.NextLog,
            Origin = loop.Known.Origin,
            Format = loop.Known.Format,
            IsCaughtUp = loop.IsCaughtUp,
            Stall = _replica.Stall,
            LogProblem = Volatile.Read(ref _logProblem),
            Failure = _failure,
        };
    }

    private void Tell()
    {
        var status = Describe();
        if (status == _status)
            return;
        Volatile.Write(ref _status, status);
        TaskCompletionSource changed;
        lock (_gate)
            (changed, _changed) = (_changed, NewSignal());
        changed.SetResult();
    }
}
