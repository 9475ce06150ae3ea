using Pipeline.Storage;

namespace Pipeline.Cluster;

/// <content>Stalls, failures, the saved position, and the status.</content>
internal sealed partial class NodeDriver
{
    /// <summary>Resumes after a full disk. Other stalls remain, and no caller is left waiting for an answer.</summary>
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
            // An older position only means reading more. The store detects a failed disk by itself.
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
            // The store was closed before its node, so no caller waits any more.
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

    /// <summary>Tells those who wait of a change, and of the end even if it changes nothing.</summary>
    private void PublishStatus(bool isLast = false)
    {
        var status = Describe();
        if (status == _status && !isLast)
            return;
        Volatile.Write(ref _status, status);
        TaskCompletionSource changed;
        lock (_gate)
            (changed, _changed) = (_changed, NewSignal());
        changed.SetResult();
    }
}
