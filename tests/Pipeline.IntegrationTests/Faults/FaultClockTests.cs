using System.Globalization;
using Pipeline.IntegrationTests.Independent;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.IntegrationTests.Faults;

/// <summary>The clock of a run's nodes.</summary>
public sealed class FaultClockTests
{
    [SkippableTheory]
    [InlineData(0)]
    [InlineData(3_600)]
    [InlineData(-86_400)]
    public async Task A_process_sees_the_time_that_was_set(int offset)
    {
        if (FaultClock.Missing is not null)
            throw Missing.Program("libfaketime", "libfaketime");
        using var folder = new TestFolder();
        var clock = new FaultClock(folder["clock"]);
        clock.Jump(TimeSpan.FromSeconds(offset));
        var before = DateTimeOffset.UtcNow.ToUnixTimeSeconds();
        var seen = await Tool.RunAsync("date", ["+%s"], clock.Variables);
        var ahead = long.Parse(seen.Trim(), CultureInfo.InvariantCulture) - before;
        Assert.InRange(ahead, offset - 1, offset + 60);
    }
}
