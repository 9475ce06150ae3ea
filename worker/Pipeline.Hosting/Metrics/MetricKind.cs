namespace Pipeline.Hosting.Metrics;

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
