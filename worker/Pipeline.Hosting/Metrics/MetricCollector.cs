using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace Pipeline.Hosting.Metrics;

/// <summary>Listens to selected meters and keeps their totals for scraping. Thread-safe.</summary>
internal sealed class MetricCollector : IDisposable
{
    private readonly MeterListener _listener = new();
    private readonly ConcurrentDictionary<Instrument, InstrumentState> _instruments = new();
    private readonly Lock _collecting = new();
    private readonly Func<Meter, bool> _isWanted;
    private long _round;

    /// <summary>Starts to listen.</summary>
    /// <param name="isWanted">Selects the meters.</param>
    public MetricCollector(Func<Meter, bool> isWanted)
    {
        _isWanted = isWanted;
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (_isWanted(instrument.Meter))
            {
                listener.EnableMeasurementEvents(
                    instrument,
                    _instruments.GetOrAdd(instrument, i => new InstrumentState(i))
                );
            }
        };
        _listener.MeasurementsCompleted = (instrument, _) => _instruments.TryRemove(instrument, out var _);
        _listener.SetMeasurementEventCallback<byte>((_, v, tags, state) => Record(state, v, tags));
        _listener.SetMeasurementEventCallback<short>((_, v, tags, state) => Record(state, v, tags));
        _listener.SetMeasurementEventCallback<int>((_, v, tags, state) => Record(state, v, tags));
        _listener.SetMeasurementEventCallback<long>((_, v, tags, state) => Record(state, v, tags));
        _listener.SetMeasurementEventCallback<float>((_, v, tags, state) => Record(state, v, tags));
        _listener.SetMeasurementEventCallback<double>((_, v, tags, state) => Record(state, v, tags));
        _listener.SetMeasurementEventCallback<decimal>((_, v, tags, state) => Record(state, (double)v, tags));
        _listener.Start();
    }

    /// <summary>Whether a meter belongs to this program or to the runtime.</summary>
    public static bool IsOurs(Meter meter) =>
        meter.Name.StartsWith("Pipeline.", StringComparison.Ordinal) || meter.Name == "System.Runtime";

    /// <summary>Polls the observable instruments and returns all families, by name. One collection at a time.</summary>
    public IReadOnlyList<MetricFamily> Collect()
    {
        lock (_collecting)
        {
            var round = Interlocked.Increment(ref _round);
            _listener.RecordObservableInstruments();
            return
            [
                .. _instruments
                    .Values.GroupBy(i => i.Name, StringComparer.Ordinal)
                    .OrderBy(g => g.Key, StringComparer.Ordinal)
                    .Select(g => MetricFamily.Of(g, round))
                    .Where(f => f.Points.Count > 0),
            ];
        }
    }

    /// <summary>The current series of a counter or a histogram, of all meters. Polls nothing.</summary>
    public IReadOnlyList<MetricPoint> Read(string name) =>
        [.. _instruments.Values.Where(i => i.Name == name).SelectMany(i => i.Read(Volatile.Read(ref _round)))];

    /// <inheritdoc/>
    public void Dispose() => _listener.Dispose();

    private void Record(object? state, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        if (state is InstrumentState instrument)
            instrument.Record(value, tags, Volatile.Read(ref _round));
    }
}
