using Pipeline.Etl.Configuration;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Runner;

/// <summary>The wait of a task after its n-th consecutive error: a <see cref="RetryBackoff"/> with jitter of ±25 %, so
/// that tasks do not retry in lockstep.</summary>
/// <remarks>Each task has its own instance. Not thread-safe.</remarks>
internal sealed class Backoff(RetryConfiguration options, Random random)
{
    private readonly RetryBackoff _transient = new(options.InitialDelay, options.MaxDelay);

    /// <summary>The wait after the given attempt, from 1.</summary>
    public TimeSpan Next(int attempt, bool isTransient)
    {
        var jitter = 0.75 + random.NextDouble() / 2;
        return isTransient ? _transient.After(attempt, jitter) : options.FailedDelay * jitter;
    }
}
