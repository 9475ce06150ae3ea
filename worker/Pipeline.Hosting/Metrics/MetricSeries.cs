namespace Pipeline.Hosting.Metrics;

/// <summary>
/// The measurements of an instrument for one attribute set. Thread-safe; a measurement takes a short lock and allocates
/// nothing.
/// </summary>
internal sealed class MetricSeries
{
    private readonly Lock _gate = new();
    private readonly double[] _bounds;
    private readonly long[] _counts;
    private double _value;
    private long _count;
    private long _round;

    /// <summary>Creates a series; <paramref name="bounds"/> is empty unless it is a histogram.</summary>
    public MetricSeries(KeyValuePair<string, object?>[] tags, double[] bounds, bool isHistogram)
    {
        Tags = tags;
        _bounds = bounds;
        _counts = isHistogram ? new long[bounds.Length + 1] : [];
    }

    /// <summary>The attributes.</summary>
    public KeyValuePair<string, object?>[] Tags { get; }

    /// <summary>Adds to the sum.</summary>
    public void Add(double change)
    {
        lock (_gate)
            _value += change;
    }

    /// <summary>Replaces the value; <paramref name="round"/> is the collection that reported it.</summary>
    public void Set(double value, long round)
    {
        lock (_gate)
        {
            _value = value;
            _round = round;
        }
    }

    /// <summary>Counts a value of a histogram.</summary>
    public void Observe(double value)
    {
        var bucket = 0;
        while (bucket < _bounds.Length && !(value <= _bounds[bucket]))
            bucket++;
        lock (_gate)
        {
            _counts[bucket]++;
            _count++;
            _value += value;
        }
    }

    /// <summary>The current values.</summary>
    public MetricPoint Read()
    {
        lock (_gate)
            return new MetricPoint(Tags, _value, _count, _counts.Length == 0 ? [] : [.. _counts], _bounds, _round);
    }
}

/// <summary>A series at one moment.</summary>
/// <param name="Tags">The attributes.</param>
/// <param name="Value">The value, or a histogram's sum.</param>
/// <param name="Count">How many values a histogram has counted.</param>
/// <param name="BucketCounts">
/// Values in each bucket (not cumulative); the last bucket holds those over every bound.
/// </param>
/// <param name="Bounds">The upper bounds, inclusive, ascending.</param>
/// <param name="Round">The collection that last reported it, for observable instruments.</param>
internal sealed record MetricPoint(
    KeyValuePair<string, object?>[] Tags,
    double Value,
    long Count,
    long[] BucketCounts,
    double[] Bounds,
    long Round
);
