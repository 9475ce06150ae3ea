using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace Pipeline.Hosting.Metrics;

/// <summary>
/// An instrument and its series. Thread-safe. Holds at most <see cref="SeriesLimit"/> attribute sets; further ones go
/// to one series with
/// <c>otel.metric.overflow=true</c>, as the OpenTelemetry specification requires.
/// </summary>
internal sealed class InstrumentState
{
    /// <summary>The most attribute sets of one instrument.</summary>
    public const int SeriesLimit = 2_000;

    private static readonly double[] DefaultBounds =
    [
        0,
        5,
        10,
        25,
        50,
        75,
        100,
        250,
        500,
        750,
        1_000,
        2_500,
        5_000,
        7_500,
        10_000,
    ];
    private static readonly double[] SecondBounds =
    [
        0.001,
        0.0025,
        0.005,
        0.01,
        0.025,
        0.05,
        0.1,
        0.25,
        0.5,
        1,
        2.5,
        5,
        10,
        30,
    ];
    private static readonly KeyValuePair<string, object?>[] OverflowTags = [new("otel.metric.overflow", true)];

    private readonly ConcurrentDictionary<KeyValuePair<string, object?>[], MetricSeries> _series = new(
        TagSetComparer.Instance
    );
    private readonly ConcurrentDictionary<KeyValuePair<string, object?>[], MetricSeries>.AlternateLookup<
        ReadOnlySpan<KeyValuePair<string, object?>>
    > _lookup;
    private readonly double[] _bounds;
    private readonly bool _replaces;
    private int _count;

    public InstrumentState(Instrument instrument)
    {
        _lookup = _series.GetAlternateLookup<ReadOnlySpan<KeyValuePair<string, object?>>>();
        Instrument = instrument;
        IsObservable = instrument.IsObservable;
        var type = instrument.GetType();
        var shape = type.IsGenericType ? type.GetGenericTypeDefinition() : type;
        Kind =
            shape == typeof(Counter<>) || shape == typeof(ObservableCounter<>) ? MetricKind.Counter
            : shape == typeof(Histogram<>) ? MetricKind.Histogram
            : MetricKind.Gauge;
        _replaces = IsObservable || shape == typeof(Gauge<>);
        _bounds = Kind == MetricKind.Histogram ? BoundsOf(instrument) : [];
        Name = MetricName.ForInstrument(instrument.Name, instrument.Unit, Kind);
    }

    /// <summary>The instrument.</summary>
    public Instrument Instrument { get; }

    /// <summary>Its Prometheus family name.</summary>
    public string Name { get; }

    /// <summary>How its measurements are aggregated.</summary>
    public MetricKind Kind { get; }

    /// <summary>Whether it is polled at each collection; a series that it no longer reports is then omitted.</summary>
    public bool IsObservable { get; }

    /// <summary>Records a measurement.</summary>
    public void Record(double value, ReadOnlySpan<KeyValuePair<string, object?>> tags, long round)
    {
        var series = _lookup.TryGetValue(tags, out var known) ? known : Add(tags);
        if (Kind == MetricKind.Histogram)
            series.Observe(value);
        else if (_replaces)
            series.Set(value, round);
        else
            series.Add(value);
    }

    /// <summary>The current series; for an observable instrument those reported in <paramref name="round"/>.</summary>
    public IEnumerable<MetricPoint> Read(long round) =>
        _series.Values.Select(s => s.Read()).Where(p => !IsObservable || p.Round == round);

    private MetricSeries Add(ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        if (Interlocked.Increment(ref _count) > SeriesLimit)
        {
            Interlocked.Decrement(ref _count);
            return _series.GetOrAdd(OverflowTags, MakeSeries);
        }
        return _series.GetOrAdd(tags.ToArray(), MakeSeries);
    }

    private MetricSeries MakeSeries(KeyValuePair<string, object?>[] tags) =>
        new(tags, _bounds, Kind == MetricKind.Histogram);

    private static double[] BoundsOf(Instrument instrument)
    {
        var advised = instrument switch
        {
            Histogram<double> h => h.Advice?.HistogramBucketBoundaries?.ToArray(),
            Histogram<float> h => h.Advice?.HistogramBucketBoundaries?.Select(b => (double)b).ToArray(),
            Histogram<long> h => h.Advice?.HistogramBucketBoundaries?.Select(b => (double)b).ToArray(),
            Histogram<int> h => h.Advice?.HistogramBucketBoundaries?.Select(b => (double)b).ToArray(),
            _ => null,
        };
        return advised ?? (instrument.Unit == "s" ? SecondBounds : DefaultBounds);
    }
}
