namespace Pipeline.Subscriptions;

/// <summary>How long to wait before another try: doubling from the first wait, up to the longest.</summary>
/// <param name="First">The wait after the first failure.</param>
/// <param name="Longest">The longest wait.</param>
public readonly record struct RetryBackoff(TimeSpan First, TimeSpan Longest)
{
    private const int MaxDoublings = 30;

    /// <summary>The wait after so many failures in a row.</summary>
    /// <param name="failures">How many, from 1.</param>
    /// <param name="jitter">A factor, so that many who wait do not come at once; the longest wait holds all the same.</param>
    public TimeSpan After(int failures, double jitter = 1) =>
        TimeSpan.FromTicks((long)Math.Min(First.Ticks * Math.Pow(2, Math.Clamp(failures - 1, 0, MaxDoublings)) * jitter, Longest.Ticks));
}
