namespace Pipeline.Etl.Runner;

/// <summary>An exponentially weighted rate over about ten seconds. Thread-safe.</summary>
internal sealed class RateMeter(TimeProvider time)
{
    private const double WindowSeconds = 10;
    private readonly Lock _lock = new();
    private readonly long _start = time.GetTimestamp();
    private long _last = time.GetTimestamp();
    private double _weighted;

    public void Add(long count)
    {
        lock (_lock)
        {
            Decay();
            _weighted += count;
        }
    }

    /// <summary>Events a second.</summary>
    public double PerSecond
    {
        get
        {
            lock (_lock)
            {
                Decay();
                // Until the window is full the weights sum to less than the window.
                double covered = WindowSeconds * (1 - Math.Exp(-time.GetElapsedTime(_start).TotalSeconds / WindowSeconds));
                return covered < 0.001 ? 0 : _weighted / covered;
            }
        }
    }

    private void Decay()
    {
        long now = time.GetTimestamp();
        _weighted *= Math.Exp(-time.GetElapsedTime(_last, now).TotalSeconds / WindowSeconds);
        _last = now;
    }
}
