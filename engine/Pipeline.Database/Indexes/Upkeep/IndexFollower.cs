using System.Diagnostics;
using Microsoft.Extensions.Logging;
using Pipeline.Indexing;
using Pipeline.Storage;

namespace Pipeline.Database.Indexes;

/// <summary>
/// The task that keeps one version of an index up: it sleeps until something changes, and then does batches in its
/// turn.
/// </summary>
internal sealed class IndexFollower : IAsyncDisposable
{
    /// <summary>
    /// The least time from one batch that caught up to the next, unless somebody waits. Writers that commit one document
    /// after the other thus pay for an index commit once in a while, not once for each.
    /// </summary>
    private static readonly TimeSpan Pace = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan RetryDelay = TimeSpan.FromSeconds(5);
    private readonly IndexInstance _index;
    private readonly IndexScheduler _turns;
    private readonly ILogger _logger;
    private readonly Action _moved;
    private readonly Func<CancellationToken, Task> _caughtUp;
    private readonly Action _missedDeletes;
    private readonly CancellationTokenSource _stop = new();
    private readonly AsyncSignal _wanted = new();
    private readonly Task _task;

    public IndexFollower(
        IndexInstance index,
        IndexScheduler turns,
        ILogger logger,
        Action moved,
        Func<CancellationToken, Task> caughtUp,
        Action missedDeletes
    )
    {
        _index = index;
        _turns = turns;
        _logger = logger;
        _moved = moved;
        _caughtUp = caughtUp;
        _missedDeletes = missedDeletes;
        _task = Task.Run(FollowAsync);
    }

    /// <summary>Somebody waits for the index: the next batch begins without a pause.</summary>
    public void Hurry() => _wanted.Set();

    /// <summary>Ends the following; done when the batch at work, if there is one, has been given up.</summary>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        await _task.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _stop.Dispose();
    }

    private async Task FollowAsync()
    {
        var ct = _stop.Token;
        try
        {
            // An index without documents has caught up before the first change.
            var more = true;
            var caughtUp = 0L;
            while (!ct.IsCancellationRequested && _index.Failure is null)
            {
                if (!more)
                {
                    await _index.Database.WaitForChangeAsync(_index.Position, ct).ConfigureAwait(false);
                    await _wanted.WaitAsync(Pace - Stopwatch.GetElapsedTime(caughtUp), ct).ConfigureAwait(false);
                }

                _wanted.Reset();
                await _turns.EnterAsync(_index.Definition.Priority, ct).ConfigureAwait(false);
                try
                {
                    more = await RunMarkedAsync(ct).ConfigureAwait(false);
                }
                catch (Exception e) when (e is DiskFullException or ScratchFullException)
                {
                    IndexLog.Waits(_logger, _index.Database.Name, _index.Definition.Name, e);
                    more = true;
                    await Task.Delay(RetryDelay, _index.Time, ct).ConfigureAwait(false);
                }
                finally
                {
                    _turns.Leave();
                }

                _moved();
                if (!more)
                {
                    caughtUp = Stopwatch.GetTimestamp();
                    await _caughtUp(ct).ConfigureAwait(false);
                }
            }
        }
        catch (Exception e) when (e is OperationCanceledException or ObjectDisposedException)
        {
            // Stopped, or the database was closed.
            IndexLog.Stopped(_logger, _index.Database.Name, _index.Definition.Name);
        }
        catch (MissedDeletesException e)
        {
            // Begun here and not awaited: it ends this task first.
            IndexLog.Rebuilt(_logger, _index.Database.Name, _index.Definition.Name, e);
            _missedDeletes();
        }
        catch (Exception e)
        {
            IndexLog.Failed(_logger, _index.Database.Name, _index.Definition.Name, e);
            await FailAsync(e).ConfigureAwait(false);
        }

        if (_index.Failure is { } failure)
        {
            IndexLog.InError(
                _logger,
                _index.Database.Name,
                _index.Definition.Name,
                IndexInstance.WithoutMessage(failure)
            );
        }

        _moved();
    }

    /// <summary>One batch, which the next process knows of if this one ends within it.</summary>
    private async Task<bool> RunMarkedAsync(CancellationToken ct)
    {
        using var marked = await _index.Marker.EnterAsync(ct).ConfigureAwait(false);
        var more = await _index.RunBatchAsync(ct).ConfigureAwait(false);
        if (!more)
            _index.Marker.Forgive();
        return more;
    }

    private async Task FailAsync(Exception cause)
    {
        try
        {
            await _index.FailAsync(cause.Message).ConfigureAwait(false);
        }
        catch (Exception e) when (e is StorageException or ObjectDisposedException or IndexCorruptException)
        {
            // The store itself is at fault; that it is in error is known until the database is opened again.
            IndexLog.Failed(_logger, _index.Database.Name, _index.Definition.Name, e);
        }
    }
}
