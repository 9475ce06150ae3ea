using Pipeline.Etl.Replays;

namespace Pipeline.Hosting.Tasks;

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
