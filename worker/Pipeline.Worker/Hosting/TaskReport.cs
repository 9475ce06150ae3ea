using Pipeline.Etl.Runner;

namespace Pipeline.Worker.Hosting;

/// <summary>What one ETL task has done since this process started, at one moment.</summary>
/// <param name="Name">The task's name.</param>
/// <param name="State">One word: <c>starting</c>, <c>running</c>, <c>idle</c> (all is sent), <c>waiting</c> (for its target), <c>failed</c>, <c>blocked</c> (until a person decides), <c>stopped</c>,
/// or <c>done</c> where it has reached <paramref name="Target"/> in a run that ends there.</param>
/// <param name="Documents">Changes given to the transform.</param>
/// <param name="Messages">Messages that the target has confirmed.</param>
/// <param name="DeadLetters">Changes that were put aside as dead letters.</param>
/// <param name="Position">The position that is done and stored.</param>
/// <param name="Target">The database's position that it has to reach.</param>
/// <param name="Elapsed">How long it has worked; until it reached the target in a run that ends there.</param>
/// <param name="Problem">Why it waits or has failed; otherwise <see langword="null"/>.</param>
public sealed record TaskReport(
    string Name, string State, long Documents, long Messages, long DeadLetters, long Position, long Target, TimeSpan Elapsed, string? Problem)
{
    /// <summary>Whether it needs help to go on.</summary>
    public bool IsFailed => State is "failed" or "blocked";

    /// <summary>The report of a task of the ETL host.</summary>
    internal static TaskReport Of(EtlTaskStatus status, long target, TimeSpan elapsed, bool endsAtTarget) => new(
        status.Name,
        status.Conflict is not null ? "blocked" : endsAtTarget && status.Position >= target ? "done" : Word(status.State),
        status.DocumentsRead,
        status.MessagesSent,
        status.DeadLetters,
        status.Position,
        target,
        elapsed,
        status.Conflict?.Reason ?? (status.State is EtlTaskState.Retrying or EtlTaskState.Failed ? status.LastError?.Message : null));

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
