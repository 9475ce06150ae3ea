using Pipeline.Etl.Connectors;

namespace Pipeline.Etl.Configuration;

/// <summary>The block <c>database.scrub</c>: how the data file is verified in the background.</summary>
public sealed class ScrubConfiguration
{
    /// <summary>From the end of one to the beginning of the next; zero for none.</summary>
    [Setting("Wait after one verification of all pages of the data file, until the next; the first begins at most an hour after the start. 0s for none.", Minimum = 0, Maximum = 49 * 86_400)]
    public TimeSpan Interval { get; init; } = TimeSpan.FromDays(7);

    /// <summary>The most bytes read in a second.</summary>
    [Setting("Most bytes that it reads in a second.", Minimum = 1024, Maximum = 1L << 40)]
    public long BytesPerSecond { get; init; } = 8L << 20;
}
