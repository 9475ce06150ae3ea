using Xunit;

namespace Pipeline.Storage.Tests.Statistics;

/// <summary>Percentiles of input and output.</summary>
public sealed class IoStatisticsTests
{
    [Fact]
    public void A_percentile_is_at_most_the_longest()
    {
        var longest = TimeSpan.FromMicroseconds(700);
        (TimeSpan Below, long Count)[] durations =
        [
            (TimeSpan.FromMicroseconds(256), 98),
            (TimeSpan.FromMicroseconds(1024), 2),
        ];
        var io = new IoStatistics(default, 100, 0, TimeSpan.FromMilliseconds(20), longest, durations, [], []);
        Assert.Equal(TimeSpan.FromMicroseconds(256), io.Percentile(0.5));
        Assert.Equal(longest, io.Percentile(0.99));
    }
}
