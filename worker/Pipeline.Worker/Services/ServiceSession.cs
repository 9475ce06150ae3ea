namespace Pipeline.Worker.Services;

/// <summary>
/// A command that a service manager starts, waits for and stops, as that of Windows does: it expects to be asked for
/// more time while the command starts or stops. One start, then at most one stop.
/// </summary>
/// <param name="askForTime">Asks the manager to wait so much longer; called while it waits.</param>
/// <param name="time">The clock.</param>
internal sealed class ServiceSession(Action<TimeSpan> askForTime, TimeProvider time) : IServiceManager, IDisposable
{
    /// <summary>How often the manager is asked.</summary>
    public static readonly TimeSpan Interval = TimeSpan.FromSeconds(20);

    /// <summary>How much longer the manager is asked to wait.</summary>
    public static readonly TimeSpan Extension = TimeSpan.FromSeconds(60);

    private readonly TaskCompletionSource _ready = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CancellationTokenSource _stop = new();
    private Task<int> _work = Task.FromResult(ExitCodes.Success);

    /// <inheritdoc/>
    /// <remarks>Windows restarts a service only if somebody set its recovery options.</remarks>
    public bool StartsAgain => false;

    /// <summary>Ends with the command, with its exit code.</summary>
    public Task<int> Work => _work;

    /// <inheritdoc/>
    public void Starting() { }

    /// <inheritdoc/>
    public void Ready(string status, Action check) => _ready.TrySetResult();

    /// <inheritdoc/>
    public void Stopping() { }

    /// <summary>Starts the command, and returns when it is ready or has ended.</summary>
    /// <param name="run">Runs the command until its token is cancelled; returns the exit code.</param>
    /// <exception cref="InvalidOperationException">The command ended before it was ready.</exception>
    public async Task StartAsync(Func<CancellationToken, Task<int>> run)
    {
        _work = Task.Run(() => run(_stop.Token));
        await WaitAsync(Task.WhenAny(_ready.Task, _work)).ConfigureAwait(false);
        if (_ready.Task.IsCompleted)
            return;
        var code = await _work.ConfigureAwait(false);
        throw new InvalidOperationException(
            $"the command ended with exit code {code} before it was ready; an earlier event says why"
        );
    }

    /// <summary>Stops the command in order, and returns when it has ended. The manager is asked for time.</summary>
    public async Task StopAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        await WaitAsync(_work).ConfigureAwait(false);
    }

    /// <summary>Stops the command; returns when it has ended, or after a limit.</summary>
    /// <returns>Whether it has ended.</returns>
    public async Task<bool> StopAsync(TimeSpan limit)
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        try
        {
            await _work.WaitAsync(limit, time).ConfigureAwait(false);
            return true;
        }
        catch (TimeoutException)
        {
            return false;
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _stop.Dispose();

    private async Task WaitAsync(Task task)
    {
        while (!task.IsCompleted)
        {
            askForTime(Extension);
            using var waiting = new CancellationTokenSource();
            await Task.WhenAny(task, Task.Delay(Interval, time, waiting.Token)).ConfigureAwait(false);
            await waiting.CancelAsync().ConfigureAwait(false);
        }
    }
}
