using System.Runtime.InteropServices;
using Pipeline.Worker.Terminal;

namespace Pipeline.Worker.CommandLine;

/// <summary>
/// Turns Ctrl+C and SIGTERM into a cancellation; on Windows also Ctrl+Break, the closing of the console and shutdown. The first signal asks for an orderly stop; a second one, or the end of
/// <see cref="StopTimeout"/>, ends the process at once. Data is durable before it is confirmed, so ending at once loses
/// nothing either.
/// </summary>
internal sealed class ProcessSignals : IDisposable
{
    /// <summary>The time limit of an orderly stop.</summary>
    public static readonly TimeSpan StopTimeout = TimeSpan.FromSeconds(4.5);

    private static readonly TimeSpan SameSignal = TimeSpan.FromSeconds(0.5);

    private readonly CancellationTokenSource _stop = new();
    private readonly PosixSignalRegistration[] _registrations;
    private readonly WorkerConsole _console;
    private readonly TimeProvider _time;
    private readonly string _whenStopped;
    private ITimer? _deadline;
    private int _asked;
    private long _firstAsked = long.MaxValue;

    /// <summary>Starts to handle the process's signals.</summary>
    /// <param name="console">The console for its messages.</param>
    /// <param name="time">The clock.</param>
    /// <param name="whenStopped">What the command leaves behind if it ends at once, as a clause; null for nothing.</param>
    public ProcessSignals(WorkerConsole console, TimeProvider time, string? whenStopped)
    {
        _whenStopped = whenStopped is null ? "" : $"; {Printable.Of(whenStopped)}";
        _console = console;
        _time = time;
        // On Windows, SIGQUIT is Ctrl+Break, SIGHUP the closing of the console, SIGTERM the shutdown.
        PosixSignal[] signals = OperatingSystem.IsWindows()
            ? [PosixSignal.SIGINT, PosixSignal.SIGQUIT, PosixSignal.SIGHUP, PosixSignal.SIGTERM]
            : [PosixSignal.SIGINT, PosixSignal.SIGTERM];
        _registrations = [.. signals.Select(signal => PosixSignalRegistration.Create(signal, OnSignal))];
    }

    /// <summary>Cancelled by the first signal.</summary>
    public CancellationToken Stopping => _stop.Token;

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (var registration in _registrations)
            registration.Dispose();
        _deadline?.Dispose();
        _stop.Dispose();
    }

    private void OnSignal(PosixSignalContext context)
    {
        context.Cancel = true;
        if (Interlocked.Increment(ref _asked) > 1)
        {
            // A supervisor that signals both the process and its group means one signal.
            if (_time.GetElapsedTime(Volatile.Read(ref _firstAsked)) < SameSignal)
                return;
            EndNow("stopped at once" + _whenStopped);
            return;
        }
        Volatile.Write(ref _firstAsked, _time.GetTimestamp());
        _console.WriteNotice("pipeline: stopping (once more to stop at once)");
        _deadline = _time.CreateTimer(
            _ => EndNow($"not stopped after {StopTimeout.TotalSeconds:0.#} s, so the process ends{_whenStopped}"),
            null,
            StopTimeout,
            Timeout.InfiniteTimeSpan
        );
        _stop.Cancel();
    }

    private void EndNow(string message)
    {
        _console.WriteNotice("pipeline: " + message);
        Environment.Exit(ExitCodes.Interrupted);
    }
}
