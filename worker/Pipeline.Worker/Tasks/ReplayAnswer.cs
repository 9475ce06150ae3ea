using Pipeline.Etl.Replays;

namespace Pipeline.Worker.Tasks;

/// <summary>What became of a POST to <c>/etl/replay</c>: one of the three.</summary>
/// <param name="Replay">The replay that has begun.</param>
/// <param name="Trial">What would be sent.</param>
/// <param name="Canceled">Whether there was one to end.</param>
internal sealed record ReplayAnswer(ReplayStatus? Replay, ReplayTrial? Trial, bool? Canceled);
