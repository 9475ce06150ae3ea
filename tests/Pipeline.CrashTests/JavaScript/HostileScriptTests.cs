using System.Globalization;
using Pipeline.CrashTests.Storage;
using Pipeline.TestKit.Processes;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.CrashTests.JavaScript;

/// <summary>
/// A reader's query ended the process: Jint's built-in functions recurse on the thread's stack. A child process runs
/// scripts that try; it must never end by itself. The fuzzer runs PIPELINE_FUZZ_MINUTES, by default a bounded number of
/// programs, from PIPELINE_SEED on.
/// </summary>
public sealed class HostileScriptTests(ITestOutputHelper output)
{
    private const int DefaultPrograms = 120;

    [Fact]
    public async Task No_known_script_ends_the_process() =>
        await RunAsync(TimeSpan.FromMinutes(10), "javascript-known");

    [Fact]
    public async Task No_calls_of_built_in_functions_end_the_process()
    {
        var time = LongRuns.Duration(TimeSpan.Zero);
        var programs = time == TimeSpan.Zero ? DefaultPrograms : int.MaxValue;
        var atMost = time == TimeSpan.Zero ? TimeSpan.FromMinutes(2) : time;
        var last = await RunAsync(
            atMost + TimeSpan.FromMinutes(3),
            "javascript-fuzz",
            LongRuns.FirstSeed.ToString(CultureInfo.InvariantCulture),
            programs.ToString(CultureInfo.InvariantCulture),
            atMost.TotalSeconds.ToString(CultureInfo.InvariantCulture)
        );
        output.WriteLine(last);
    }

    internal static async Task<string> RunAsync(TimeSpan atMost, params string[] arguments)
    {
        using var child = ChildProcess.Start(typeof(ScriptChild), arguments, readsErrors: true);
        using var stop = new CancellationTokenSource(atMost);
        var last = "nothing";
        var errors = child.StandardError.ReadToEndAsync(CancellationToken.None);
        try
        {
            while (await child.StandardOutput.ReadLineAsync(stop.Token) is { } line)
                last = line;
            await child.WaitForExitAsync(stop.Token);
        }
        catch (OperationCanceledException)
        {
            child.Kill();
            Assert.Fail($"the child was still busy after {atMost}: {last}");
        }

        var error = await errors;
        Assert.True(
            child.ExitCode == 0 && last.StartsWith("done", StringComparison.Ordinal),
            $"the child ended with {child.ExitCode} in: {last}\n{error[..Math.Min(2000, error.Length)]}"
        );
        return last;
    }
}
