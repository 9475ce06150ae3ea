using Pipeline.Yaml;

namespace Pipeline.Configuration;

/// <summary>The block <c>database.scrub</c>: how the data file is verified in the background.</summary>
public sealed class ScrubConfiguration
{
    /// <summary>From the end of one to the beginning of the next; zero for none.</summary>
    [Setting(
        "Time between two verifications of all pages of the data file. The first begins at most an hour after the start. 0s turns them off.",
        Minimum = 0,
        Maximum = 49 * 86_400
    )]
    public TimeSpan Interval { get; init; } = TimeSpan.FromDays(7);

    /// <summary>The most bytes read in a second.</summary>
    [Setting("Most bytes that the verification reads per second.", Minimum = 1024, Maximum = 1L << 40)]
    public long BytesPerSecond { get; init; } = 8L << 20;
}
