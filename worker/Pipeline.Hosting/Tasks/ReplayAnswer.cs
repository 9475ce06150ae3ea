using Pipeline.Etl.Replays;

namespace Pipeline.Hosting.Tasks;

/// <summary>The result of a POST to <c>/etl/replay</c>; exactly one of the three is set.</summary>
/// <param name="Replay">The replay that was started.</param>
/// <param name="Trial">What would be sent.</param>
/// <param name="Canceled">Whether there was a replay to cancel.</param>
internal sealed record ReplayAnswer(ReplayStatus? Replay, ReplayTrial? Trial, bool? Canceled);
