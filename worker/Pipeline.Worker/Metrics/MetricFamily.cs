namespace Pipeline.Worker.Metrics;

/// <summary>The series that share one Prometheus name.</summary>
/// <param name="Name">The family name.</param>
/// <param name="Kind">Its type.</param>
/// <param name="Help">Its description.</param>
/// <param name="Points">Its series, each with the meter that told it.</param>
internal sealed record MetricFamily(string Name, MetricKind Kind, string Help, IReadOnlyList<(string Meter, MetricPoint Point)> Points)
{
    /// <summary>Puts the instruments of one name together. A name has one type in Prometheus: where two meters disagree, the first by meter name
    /// stands and the others are left out.</summary>
    public static MetricFamily Of(IEnumerable<InstrumentState> instruments, long round)
    {
        var ordered = instruments.OrderBy(i => i.Instrument.Meter.Name, StringComparer.Ordinal).ToList();
        var kind = ordered[0].Kind;
        var help = ordered.Select(i => i.Instrument.Description).FirstOrDefault(d => !string.IsNullOrEmpty(d)) ?? ordered[0].Instrument.Name;
        var points = ordered.Where(i => i.Kind == kind).SelectMany(i => i.Read(round).Select(p => (i.Instrument.Meter.Name, p))).ToList();
        return new MetricFamily(ordered[0].Name, kind, help, points);
    }
}
