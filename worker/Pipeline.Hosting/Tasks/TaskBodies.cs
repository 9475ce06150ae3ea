using Pipeline.Etl.Replays;

namespace Pipeline.Hosting.Tasks;

/// <summary>The body of a POST to <c>/etl/bench</c> and the paths below it.</summary>
/// <param name="Task">The task.</param>
/// <param name="Script">The script to try; <see langword="null"/> for the task's own transform.</param>
/// <param name="Ids">The documents to try it on; empty for the last ones that the task takes.</param>
/// <param name="Sample">How many of the last ones; 20 if it is not given, at most 1000.</param>
internal sealed record BenchBody(string? Task, string? Script, IReadOnlyList<string>? Ids, int? Sample);

/// <summary>The body of a POST to <c>/etl/replay</c>.</summary>
/// <param name="Task">The task.</param>
/// <param name="From">Replay from this position on.</param>
/// <param name="Since">Replay changes since this time.</param>
/// <param name="Query">Replay the documents of this query.</param>
/// <param name="DryRun">Whether to send nothing.</param>
/// <param name="Cancel">Whether to cancel the current replay.</param>
internal sealed record ReplayBody(
    string Task,
    long? From,
    DateTimeOffset? Since,
    string? Query,
    bool DryRun,
    bool Cancel
)
{
    /// <summary>The request.</summary>
    public ReplayRequest ToRequest() =>
        new()
        {
            From = From,
            Since = Since,
            Query = Query,
        };
}

/// <summary>The result of a POST to <c>/etl/replay</c>; exactly one of the three is set.</summary>
/// <param name="Replay">The replay that was started.</param>
/// <param name="Trial">What would be sent.</param>
/// <param name="Canceled">Whether there was a replay to cancel.</param>
internal sealed record ReplayAnswer(ReplayStatus? Replay, ReplayTrial? Trial, bool? Canceled);

/// <summary>The body of a POST to <c>/etl/resume</c>.</summary>
/// <param name="Task">The task.</param>
/// <param name="From">The first position to send, or <c>position</c>, <c>lineage</c> or <c>end</c>.</param>
internal sealed record ResumeBody(string? Task, string? From);
