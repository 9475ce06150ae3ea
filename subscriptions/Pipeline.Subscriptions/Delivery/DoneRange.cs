namespace Pipeline.Subscriptions;

/// <summary>Positions behind the acknowledged one of which each is dealt with or does not match.</summary>
/// <param name="From">The first.</param>
/// <param name="To">The last.</param>
internal readonly record struct DoneRange(long From, long To);
