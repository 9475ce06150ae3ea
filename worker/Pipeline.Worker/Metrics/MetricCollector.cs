using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace Pipeline.Worker.Metrics;

/// <summary>Listens to the meters it is told of and keeps their sums, so that they can be scraped. Thread-safe.</summary>
internal sealed class MetricCollector : IDisposable
{
    private readonly MeterListener _listener = new();
    private readonly ConcurrentDictionary<Instrument, InstrumentState> _instruments = new();
    private readonly Lock _collecting = new();
    private readonly Func<Meter, bool> _isWanted;
    private long _round;

    /// <summary>Starts to listen.</summary>
    /// <param name="isWanted">Which meters.</param>
    public MetricCollector(Func<Meter, bool> isWanted)
    {
        _isWanted = isWanted;
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (_isWanted(instrument.Meter))
                listener.EnableMeasurementEvents(instrument, _instruments.GetOrAdd(instrument, i => new InstrumentState(i)));
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

    /// <summary>The meters of this program and of the runtime.</summary>
    public static bool IsOurs(Meter meter) =>
        meter.Name.StartsWith("Pipeline.", StringComparison.Ordinal) || meter.Name == "System.Runtime";

    /// <summary>Asks the observable instruments and gives all families, by name. One collection at a time.</summary>
    public IReadOnlyList<MetricFamily> Collect()
    {
        lock (_collecting)
        {
            var round = Interlocked.Increment(ref _round);
            _listener.RecordObservableInstruments();
            return [.. _instruments.Values
                .GroupBy(i => i.Name, StringComparer.Ordinal)
                .OrderBy(g => g.Key, StringComparer.Ordinal)
                .Select(g => MetricFamily.Of(g, round))
                .Where(f => f.Points.Count > 0)];
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _listener.Dispose();

    private void Record(object? state, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        if (state is InstrumentState instrument)
            instrument.Record(value, tags, Volatile.Read(ref _round));
    }
}
