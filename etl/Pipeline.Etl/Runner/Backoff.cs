using Pipeline.Etl.Configuration;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Runner;

/// <summary>How long a task waits after its n-th error in a row: a <see cref="RetryBackoff"/> with jitter of a quarter either way, so that tasks do not march in step.</summary>
/// <remarks>One instance a task; not thread-safe.</remarks>
internal sealed class Backoff(RetryConfiguration options, Random random)
{
    private readonly RetryBackoff _transient = new(options.InitialDelay, options.MaxDelay);

    /// <summary>The wait after the given attempt, from 1.</summary>
    public TimeSpan Next(int attempt, bool isTransient)
    {
        double jitter = 0.75 + random.NextDouble() / 2;
        return isTransient ? _transient.After(attempt, jitter) : options.FailedDelay * jitter;
    }
}
