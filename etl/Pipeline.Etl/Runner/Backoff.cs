using Pipeline.Etl.Configuration;

namespace Pipeline.Etl.Runner;

/// <summary>How long to wait after the n-th error in a row: doubling, capped, with jitter of a quarter either way so that tasks do not march in step.</summary>
/// <remarks>One instance a task; not thread-safe.</remarks>
internal sealed class Backoff(RetryConfiguration options, Random random)
{
    private const int MaxDoublings = 30;

    /// <summary>The wait after the given attempt, from 1.</summary>
    public TimeSpan Next(int attempt, bool isTransient)
    {
        double jitter = 0.75 + random.NextDouble() / 2;
        if (!isTransient) return options.FailedDelay * jitter;
        double doubled = options.InitialDelay.TotalMilliseconds * Math.Pow(2, Math.Min(attempt - 1, MaxDoublings));
        return TimeSpan.FromMilliseconds(Math.Min(doubled * jitter, options.MaxDelay.TotalMilliseconds));
    }
}
