using System.Globalization;
using Pipeline.CrashTests.JavaScript;
using Pipeline.CrashTests.Storage;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.CrashTests.Scripts;

/// <summary>
/// Scripts in C# written at random, in a child process that must never end by itself. PIPELINE_FUZZ_MINUTES lets them
/// run so long, by default a bounded number; PIPELINE_SEED begins with another program.
/// </summary>
public sealed class HostileCSharpTests(ITestOutputHelper output)
{
    private const int DefaultPrograms = 25;

    [Fact]
    public async Task No_script_ends_the_process()
    {
        var time = LongRuns.Duration(TimeSpan.Zero);
        var programs = time == TimeSpan.Zero ? DefaultPrograms : int.MaxValue;
        var atMost = time == TimeSpan.Zero ? TimeSpan.FromMinutes(2) : time;
        output.WriteLine(
            await HostileScriptTests.RunAsync(
                atMost + TimeSpan.FromMinutes(3),
                "csharp-fuzz",
                LongRuns.FirstSeed.ToString(CultureInfo.InvariantCulture),
                programs.ToString(CultureInfo.InvariantCulture),
                atMost.TotalSeconds.ToString(CultureInfo.InvariantCulture)
            )
        );
    }
}
