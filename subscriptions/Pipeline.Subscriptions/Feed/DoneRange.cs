namespace Pipeline.Subscriptions;

/// <summary>
/// A range of positions after the acknowledged one in which every change is settled or does not match.
/// </summary>
/// <param name="From">The first.</param>
/// <param name="To">The last.</param>
internal readonly record struct DoneRange(long From, long To);
