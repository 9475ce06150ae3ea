namespace Pipeline.Cluster;

/// <summary>The places that a log holds.</summary>
/// <param name="First">The first place that can be read.</param>
/// <param name="End">The place after the last record.</param>
public readonly record struct LogBounds(long First, long End);
