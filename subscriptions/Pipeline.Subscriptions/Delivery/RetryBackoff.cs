namespace Pipeline.Subscriptions;

/// <summary>The delay before a retry: it doubles from the first delay up to the longest.</summary>
/// <param name="First">The delay after the first failure.</param>
/// <param name="Longest">The longest delay.</param>
public readonly record struct RetryBackoff(TimeSpan First, TimeSpan Longest)
{
    private const int MaxDoublings = 30;

    /// <summary>The delay after a number of failures in a row.</summary>
    /// <param name="failures">The number of failures, from 1.</param>
    /// <param name="jitter">A factor that spreads retries of many clients; the longest delay still applies.</param>
    public TimeSpan After(int failures, double jitter = 1) =>
        TimeSpan.FromTicks(
            (long)Math.Min(First.Ticks * Math.Pow(2, Math.Clamp(failures - 1, 0, MaxDoublings)) * jitter, Longest.Ticks)
        );
}
