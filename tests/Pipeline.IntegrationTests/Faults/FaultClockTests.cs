using System.Globalization;
using Pipeline.IntegrationTests.Independent;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.IntegrationTests.Faults;

/// <summary>The clock of a run's nodes.</summary>
public sealed class FaultClockTests
{
    [SkippableTheory]
    [InlineData(3_600)]
    [InlineData(-86_400)]
    public async Task A_process_sees_the_time_that_was_set(int offset)
    {
        if (FaultClock.Missing is not null)
            throw Missing.Program("a C compiler", "gcc");
        using var folder = new TestFolder();
        var clock = new FaultClock(folder["clock"]);
        clock.Jump(TimeSpan.FromSeconds(offset));
        var config = folder.Write("pipeline.yaml", "version: 1\ndatabase: { name: shop, path: ./data }\n");
        string[] program = ["dotnet", Path.Combine(AppContext.BaseDirectory, "pipeline.dll")];
        var before = DateTimeOffset.UtcNow;
        // The log goes to standard error.
        var log = await Tool.RunAsync(
            "/bin/sh",
            ["-c", "exec \"$0\" \"$@\" 2>&1", .. program, "run", "--once", "--config", config],
            clock.Variables
        );
        var ahead = DateTimeOffset.Parse(log[..log.IndexOf(' ')], CultureInfo.InvariantCulture) - before;
        Assert.InRange(ahead.TotalSeconds, offset - 1, offset + 120);
    }
}
