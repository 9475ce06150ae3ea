namespace Pipeline.Storage;

/// <summary>How a scrub goes about its work.</summary>
public sealed record ScrubOptions
{
    /// <summary>The most bytes that it reads in a second; null as fast as the disk gives them.</summary>
    public long? BytesPerSecond { get; init; }

    /// <summary>Bytes that it reads in one snapshot, for tests; null to go by the rate.</summary>
    internal long? BytesInSnapshot { get; init; }
}
