using System.Globalization;
using Pipeline.Etl.Runner;

namespace Pipeline.Worker.Hosting;

/// <summary>What one ETL task has done since this process started, at one moment.</summary>
/// <param name="Name">The task's name.</param>
/// <param name="State">One word: <c>starting</c>, <c>running</c>, <c>idle</c> (all is sent), <c>waiting</c> (for its target), <c>failed</c>, <c>blocked</c> (until a person decides), <c>stopped</c>,
/// <c>paused</c>, or <c>done</c> where nothing is left to do in a run that ends at <paramref name="Target"/>.</param>
/// <param name="Documents">Changes given to the transform.</param>
/// <param name="Messages">Messages that the target has confirmed.</param>
/// <param name="DeadLetters">Changes that were put aside as dead letters.</param>
/// <param name="Position">The position that is done and stored.</param>
/// <param name="Target">The database's position that it has to reach, or <paramref name="Position"/> if that is higher.</param>
/// <param name="Elapsed">How long it has worked; until it reached the target in a run that ends there.</param>
/// <param name="Problem">Why it waits or has failed; otherwise <see langword="null"/>.</param>
public sealed record TaskReport(
    string Name, string State, long Documents, long Messages, long DeadLetters, long Position, long Target, TimeSpan Elapsed, string? Problem)
{
    /// <summary>Dead letters that were tried again and are gone.</summary>
    public long Retried { get; init; }

    /// <summary>Dead letters that were tried again and have failed again.</summary>
    public long FailedAgain { get; init; }

    /// <summary>Changes and messages that were left out because they fail (<c>onError: skip</c>).</summary>
    public long Skipped { get; init; }

    /// <summary>Whether dead letters that are to be tried again, or a part of a replay, are left.</summary>
    public bool IsUnfinished { get; init; }

    /// <summary>Whether it is paused, running or not.</summary>
    public bool IsPaused { get; init; }

    /// <summary>Whether it needs help to go on.</summary>
    public bool IsFailed => State is "failed" or "blocked";

    /// <summary>The position for people: with the target as long as that is not reached.</summary>
    internal string Place => Position >= Target
        ? string.Create(CultureInfo.InvariantCulture, $"{Position:N0}")
        : string.Create(CultureInfo.InvariantCulture, $"{Position:N0} of {Target:N0}");

    /// <summary>The report of a task of the ETL host.</summary>
    internal static TaskReport Of(EtlTaskStatus status, long target, TimeSpan elapsed, bool endsAtTarget)
    {
        var isUnfinished = status.IsRetryingLetters || status.Replay is not null || status.IsResyncing;
        return new TaskReport(
            status.Name,
            status.Conflict is not null ? "blocked"
                : endsAtTarget && status.Position >= target && !isUnfinished ? "done"
                : status is { IsPaused: true, State: EtlTaskState.Running or EtlTaskState.Idle } ? "paused"
                : Word(status.State),
            status.DocumentsRead,
            status.MessagesSent,
            status.DeadLetters,
            status.Position,
            // A task goes on, over its own dead letters for example, after the target was noted.
            Math.Max(target, status.Position),
            elapsed,
            status.Conflict?.Reason ?? (status.State is EtlTaskState.Retrying or EtlTaskState.Failed ? status.LastError?.Message : null))
        {
            Retried = status.LettersDone, FailedAgain = status.LettersFailed, Skipped = status.Skipped, IsUnfinished = isUnfinished, IsPaused = status.IsPaused,
        };
    }

    private static string Word(EtlTaskState state) => state switch
    {
        EtlTaskState.Starting => "starting",
        EtlTaskState.Running => "running",
        EtlTaskState.Idle => "idle",
        EtlTaskState.Retrying => "waiting",
        EtlTaskState.Failed => "failed",
        _ => "stopped",
    };
}
