using System.Diagnostics.CodeAnalysis;

namespace Pipeline.Documents;

/// <summary>A stretch of time in which this node leads its cluster. Thread-safe.</summary>
[SuppressMessage("Reliability", "CA1001", Justification = "Tasks may hold the token after the term; it has no timer.")]
internal sealed class LeaderTerm
{
    private readonly CancellationTokenSource _end = new();
    private readonly TaskCompletionSource _ready = new(TaskCreationOptions.RunContinuationsAsynchronously);

    internal LeaderTerm() => Ended = _end.Token;

    /// <summary>Completes when the database takes writes; fails if the term ends first.</summary>
    internal Task Ready => _ready.Task;

    /// <summary>Cancelled when the term is over.</summary>
    internal CancellationToken Ended { get; }

    internal bool IsReady => _ready.Task.IsCompletedSuccessfully;

    internal void SetReady() => _ready.TrySetResult();

    internal void End(Exception reason)
    {
        _ready.TrySetException(reason);
        // Somebody may look at it, or nobody.
        _ = _ready.Task.Exception;
        _ = _end.CancelAsync();
    }
}
