using System.Globalization;
using Pipeline.Etl.Runner;

namespace Pipeline.Runner;

/// <summary>The work of an ETL task since this process started, at one moment.</summary>
/// <param name="Name">The task's name.</param>
/// <param name="State">
/// One word: <c>starting</c>, <c>running</c>, <c>idle</c> (everything is sent), <c>waiting</c> (for its target),
/// <c>failed</c>, <c>blocked</c> (until a person decides),
/// <c>stopped</c>, <c>paused</c>, or <c>done</c> if nothing is left to do in a run that ends at
/// <paramref name="Target"/>.
/// </param>
/// <param name="Documents">Changes given to the transform.</param>
/// <param name="Messages">Messages that the target has confirmed.</param>
/// <param name="DeadLetters">Changes set aside as dead letters.</param>
/// <param name="Position">The stored position up to which everything is done.</param>
/// <param name="Target">
/// The database's position that it must reach, or <paramref name="Position"/> if that is higher.
/// </param>
/// <param name="Elapsed">How long it has worked; in a run that ends at the target, until it reached it.</param>
/// <param name="Problem">Why it waits or failed; otherwise <see langword="null"/>.</param>
public sealed record TaskReport(
    string Name,
    string State,
    long Documents,
    long Messages,
    long DeadLetters,
    long Position,
    long Target,
    TimeSpan Elapsed,
    string? Problem
)
{
    /// <summary>Dead letters that were retried and are gone.</summary>
    public long Retried { get; init; }

    /// <summary>Dead letters that were retried and failed again.</summary>
    public long FailedAgain { get; init; }

    /// <summary>Changes and messages that were skipped because they failed (<c>onError: skip</c>).</summary>
    public long Skipped { get; init; }

    /// <summary>Whether dead letters to retry, or a part of a replay, are left.</summary>
    public bool IsUnfinished { get; init; }

    /// <summary>Whether it is paused, running or not.</summary>
    public bool IsPaused { get; init; }

    /// <summary>Whether it needs help to continue.</summary>
    public bool IsFailed => State is "failed" or "blocked";

    /// <summary>The position for people; includes the target until it is reached.</summary>
    internal string Place =>
        Position >= Target
            ? string.Create(CultureInfo.InvariantCulture, $"{Position:N0}")
            : string.Create(CultureInfo.InvariantCulture, $"{Position:N0} of {Target:N0}");

    /// <summary>Creates the report of an ETL host's task.</summary>
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
            // A task may continue after the target was recorded, for example past its own dead letters.
            Math.Max(target, status.Position),
            elapsed,
            status.Conflict?.Reason
                ?? (status.State is EtlTaskState.Retrying or EtlTaskState.Failed ? status.LastError?.Message : null)
        )
        {
            Retried = status.LettersDone,
            FailedAgain = status.LettersFailed,
            Skipped = status.Skipped,
            IsUnfinished = isUnfinished,
            IsPaused = status.IsPaused,
        };
    }

    private static string Word(EtlTaskState state) =>
        state switch
        {
            EtlTaskState.Starting => "starting",
            EtlTaskState.Running => "running",
            EtlTaskState.Idle => "idle",
            EtlTaskState.Retrying => "waiting",
            EtlTaskState.Failed => "failed",
            _ => "stopped",
        };
}
