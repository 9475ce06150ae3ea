namespace Pipeline.Hosting.Metrics;

/// <summary>
/// The last values of some figures, one for each interval. Its memory is fixed by the number of figures. Thread-safe.
/// </summary>
/// <param name="capacity">How many values of each figure are kept.</param>
/// <param name="mostSeries">How many figures are kept; further ones are left out.</param>
internal sealed class HistoryRing(int capacity, int mostSeries)
{
    private readonly Lock _lock = new();
    private readonly Dictionary<string, float[]> _series = new(StringComparer.Ordinal);
    private long _count;
    private DateTimeOffset _last;

    /// <summary>Adds one value of each figure. A figure that has none at this time gets a gap.</summary>
    public void Add(DateTimeOffset time, IReadOnlyDictionary<string, double> values)
    {
        lock (_lock)
        {
            var at = (int)(_count % capacity);
            foreach (var (name, value) in values)
            {
                if (!_series.TryGetValue(name, out var series))
                {
                    if (_series.Count >= mostSeries)
                        continue;
                    _series[name] = series = new float[capacity];
                    Array.Fill(series, float.NaN);
                }

                series[at] = (float)value;
            }

            foreach (var (name, series) in _series)
            {
                if (!values.ContainsKey(name))
                    series[at] = float.NaN;
            }

            _count++;
            _last = time;
        }
    }

    /// <summary>The last values, oldest first, joined to at most so many points.</summary>
    /// <param name="samples">How many values to look back.</param>
    /// <param name="points">How many points at most; a point is the mean of its values, or their peak.</param>
    /// <param name="isPeak">Whether a figure is shown by its peaks.</param>
    /// <returns>
    /// The time of the last value, the values in one point, and the points of each figure; null is a gap.
    /// </returns>
    public (DateTimeOffset Last, int PerPoint, Dictionary<string, float?[]> Series) Read(
        int samples,
        int points,
        Func<string, bool> isPeak
    )
    {
        lock (_lock)
        {
            var count = (int)Math.Min(Math.Min(_count, capacity), samples);
            var perPoint = Math.Max(1, (count + points - 1) / points);
            // Points begin at multiples of their size, so that they do not change while time goes on.
            var first = _count - count;
            first += (perPoint - (first % perPoint)) % perPoint;
            return (
                _last,
                perPoint,
                _series.ToDictionary(s => s.Key, s => Join(s.Value, first, perPoint, isPeak(s.Key)))
            );
        }
    }

    private float?[] Join(float[] series, long first, int perPoint, bool isPeak)
    {
        var joined = new List<float?>();
        for (var start = first; start < _count; start += perPoint)
        {
            float sum = 0,
                peak = float.MinValue;
            var known = 0;
            for (var i = start; i < Math.Min(start + perPoint, _count); i++)
            {
                var value = series[(int)(i % capacity)];
                if (float.IsNaN(value))
                    continue;
                (sum, peak, known) = (sum + value, Math.Max(peak, value), known + 1);
            }

            joined.Add(
                known == 0 ? null
                : isPeak ? peak
                : sum / known
            );
        }

        return [.. joined];
    }
}
