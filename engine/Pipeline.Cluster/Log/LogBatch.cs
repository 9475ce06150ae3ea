namespace Pipeline.Cluster;

/// <summary>Consecutive records that were read from a log.</summary>
/// <param name="First">The place of the first one.</param>
/// <param name="Records">The records' bytes. They stay valid and do not change.</param>
/// <param name="End">The end of the log when it was read.</param>
public readonly record struct LogBatch(long First, IReadOnlyList<ReadOnlyMemory<byte>> Records, long End)
{
    /// <summary>The place after the last record read.</summary>
    public long Next => First + Records.Count;
}

/// <summary>The places that a log holds.</summary>
/// <param name="First">The first place that can be read.</param>
/// <param name="End">The place after the last record.</param>
public readonly record struct LogBounds(long First, long End);
