namespace Pipeline.Subscriptions;

/// <summary>An exponentially weighted rate. Thread-safe.</summary>
/// <param name="time">The clock.</param>
/// <param name="windowSeconds">
/// The time constant in seconds: an event that old weighs about a third of a new one.
/// </param>
public sealed class RateMeter(TimeProvider time, double windowSeconds = 10)
{
    private readonly Lock _lock = new();
    private readonly long _start = time.GetTimestamp();
    private long _last = time.GetTimestamp();
    private double _weighted;

    /// <summary>Counts events.</summary>
    public void Add(long count)
    {
        lock (_lock)
        {
            Decay();
            _weighted += count;
        }
    }

    /// <summary>Events per second.</summary>
    public double PerSecond
    {
        get
        {
            lock (_lock)
            {
                Decay();
                // Until the window is full, the weights sum to less than the window.
                var covered = windowSeconds * (1 - Math.Exp(-time.GetElapsedTime(_start).TotalSeconds / windowSeconds));
                return covered < 0.001 ? 0 : _weighted / covered;
            }
        }
    }

    private void Decay()
    {
        var now = time.GetTimestamp();
        _weighted *= Math.Exp(-time.GetElapsedTime(_last, now).TotalSeconds / windowSeconds);
        _last = now;
    }
}
