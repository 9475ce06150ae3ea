using System.Diagnostics;
using System.Globalization;
using Pipeline.Json;
using Pipeline.Scripting;

namespace Pipeline.CrashTests.Scripts;

/// <summary>
/// The child that compiles and runs scripts in C# written at random. A stack overflow ends it, which its parent sees.
/// It ends with a line <c>done</c>.
/// </summary>
internal static class CSharpChild
{
    private static readonly ScriptLimits Limits = new()
    {
        MaxTime = TimeSpan.FromSeconds(1),
        MaxSteps = 2_000_000,
        MaxAllocatedBytes = 128 << 20,
        MaxBodyBytes = 1 << 20,
    };
    private static readonly TimeSpan Slow = TimeSpan.FromSeconds(10);

    /// <summary>Runs the programs of the seeds, for a number of rounds and a time.</summary>
    public static int Fuzz(int seed, int rounds, TimeSpan atMost)
    {
        var watch = Stopwatch.StartNew();
        var slowest = TimeSpan.Zero;
        int slowestSeed = 0,
            round = 0,
            ran = 0;
        for (; round < rounds && watch.Elapsed < atMost; round++)
        {
            var number = seed + round;
            Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"seed {number}"));
            var before = watch.Elapsed;
            if (Run(new CSharpFuzz(number).Lines()))
                ran++;
            var taken = watch.Elapsed - before;
            if (taken > slowest)
                (slowest, slowestSeed) = (taken, number);
            if (taken > Slow)
            {
                Console.WriteLine(
                    string.Create(CultureInfo.InvariantCulture, $"slow {number} {taken.TotalSeconds:f1} s")
                );
            }
        }

        Console.WriteLine(
            string.Create(
                CultureInfo.InvariantCulture,
                $"done {round} programs, {ran} of them ran, slowest {slowest.TotalMilliseconds:f0} ms (seed {slowestSeed}), {Process.GetCurrentProcess().PeakWorkingSet64 >> 20} MiB at most"
            )
        );
        return 0;
    }

    /// <summary>Lines that do not compile are left out, twice; the rest runs.</summary>
    private static bool Run(IReadOnlyList<string> lines)
    {
        ScriptHelper[] helpers = [new("h", CSharpFuzz.Helper)];
        for (var attempt = 0; attempt < 3; attempt++)
        {
            var compiled = ScriptCompiler.Shared.CompileTransform(string.Join('\n', lines), helpers);
            if (!compiled.Succeeded)
            {
                if (compiled.Errors.FirstOrDefault(e => e.Source is not null) is { } helper)
                    throw new InvalidOperationException($"The fuzz's own helper does not compile: {helper}");
                var wrong = compiled.Errors.Select(e => e.Line - 1).ToHashSet();
                lines = [.. lines.Where((_, i) => !wrong.Contains(i))];
                continue;
            }

            try
            {
                compiled.Script.Run(
                    new ScriptContext(new Nowhere(), limits: Limits)
                    {
                        Document = new ScriptDocument(
                            "a/1",
                            BinaryJson.Parse("""{"Name":"x","Lines":[{"Price":1}]}"""u8)
                        ),
                    }
                );
            }
            catch (ScriptRuntimeException)
            {
                // A limit, or an error of the script's own.
            }

            return true;
        }

        return false;
    }

    private sealed class Nowhere : IScriptOutput
    {
        public void Send(in ScriptMessage message) { }
    }
}
