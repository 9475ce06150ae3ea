using Pipeline.Etl.Replays;

namespace Pipeline.Worker.Tasks;

/// <summary>What a POST to <c>/etl/replay</c> says.</summary>
/// <param name="Task">The task.</param>
/// <param name="From">From this position on.</param>
/// <param name="Since">Since this time.</param>
/// <param name="Query">The documents of a query.</param>
/// <param name="DryRun">Whether nothing is to be sent.</param>
/// <param name="Cancel">Whether the one that is under way is to end.</param>
internal sealed record ReplayBody(string Task, long? From, DateTimeOffset? Since, string? Query, bool DryRun, bool Cancel)
{
    /// <summary>As the desk takes it.</summary>
    public ReplayRequest ToRequest() => new() { From = From, Since = Since, Query = Query };
}
