namespace Pipeline.Hosting.Metrics;

/// <summary>The series that share one Prometheus name.</summary>
/// <param name="Name">The family name.</param>
/// <param name="Kind">Its type.</param>
/// <param name="Help">Its description.</param>
/// <param name="Points">Its series, each with the meter that reported it.</param>
internal sealed record MetricFamily(
    string Name,
    MetricKind Kind,
    string Help,
    IReadOnlyList<(string Meter, MetricPoint Point)> Points
)
{
    /// <summary>
    /// Combines the instruments of one name. A name has only one type in Prometheus: if two meters disagree, the first
    /// by meter name counts and the others are omitted.
    /// </summary>
    public static MetricFamily Of(IEnumerable<InstrumentState> instruments, long round)
    {
        var ordered = instruments.OrderBy(i => i.Instrument.Meter.Name, StringComparer.Ordinal).ToList();
        var kind = ordered[0].Kind;
        var help =
            ordered.Select(i => i.Instrument.Description).FirstOrDefault(d => !string.IsNullOrEmpty(d))
            ?? ordered[0].Instrument.Name;
        var points = ordered
            .Where(i => i.Kind == kind)
            .SelectMany(i => i.Read(round).Select(p => (i.Instrument.Meter.Name, p)))
            .ToList();
        return new MetricFamily(ordered[0].Name, kind, help, points);
    }
}

/// <summary>How an instrument's measurements are aggregated.</summary>
internal enum MetricKind
{
    /// <summary>A sum that only grows.</summary>
    Counter,

    /// <summary>A value that may rise and fall: the last one reported, or the sum of the reported changes.</summary>
    Gauge,

    /// <summary>Counts of values by size, their sum and their number.</summary>
    Histogram,
}
