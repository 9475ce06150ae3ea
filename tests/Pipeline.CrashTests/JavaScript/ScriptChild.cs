using System.Diagnostics;
using System.Globalization;
using Pipeline.JavaScript;
using Pipeline.Json;
using Pipeline.Scripting;

namespace Pipeline.CrashTests.JavaScript;

/// <summary>
/// The child that runs hostile scripts. A stack overflow ends it, which its parent sees. It ends with a line
/// <c>done</c>.
/// </summary>
internal static class ScriptChild
{
    private static readonly ScriptLimits Limits = new()
    {
        MaxTime = TimeSpan.FromSeconds(1),
        MaxSteps = 2_000_000,
        MaxAllocatedBytes = 128 << 20,
        MaxBodyBytes = 1 << 20,
    };

    /// <summary>Runs all that is known, each on a large and on a small stack.</summary>
    public static int RunKnown()
    {
        var number = 0;
        foreach (var source in HostileScripts.All.Concat(HostileScripts.Nested()))
        {
            Console.WriteLine($"{number++} {source[..Math.Min(100, source.Length)]}");
            foreach (var stack in (ReadOnlySpan<int>)[0, 1536 * 1024, 512 * 1024])
            {
                var thread = new Thread(() => Run(source), stack);
                thread.Start();
                thread.Join();
            }
        }

        Console.WriteLine("done");
        return 0;
    }

    /// <summary>
    /// Runs programs that call the built-in functions with each other, by seed, for a number of rounds and a time.
    /// </summary>
    public static int Fuzz(int seed, int rounds, TimeSpan atMost)
    {
        var watch = Stopwatch.StartNew();
        var slowest = TimeSpan.Zero;
        int slowestSeed = 0,
            round = 0;
        for (; round < rounds && watch.Elapsed < atMost; round++)
        {
            var number = seed + round;
            Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"seed {number}"));
            var before = watch.Elapsed;
            Run(BuiltInFuzz.Program(number));
            if (watch.Elapsed - before > slowest)
                (slowest, slowestSeed) = (watch.Elapsed - before, number);
        }

        Console.WriteLine(
            string.Create(
                CultureInfo.InvariantCulture,
                $"done {round} programs, slowest {slowest.TotalMilliseconds:f0} ms (seed {slowestSeed}), {Process.GetCurrentProcess().PeakWorkingSet64 >> 20} MiB at most"
            )
        );
        return 0;
    }

    private static void Run(string body)
    {
        var compiled = JavaScriptCompiler.CompileTransform($"loadToX((function () {{ {body}\n}})());");
        if (!compiled.Succeeded)
            return;
        try
        {
            compiled.Script.Run(
                new ScriptContext(new Nowhere(), limits: Limits)
                {
                    Document = new ScriptDocument("a/1", BinaryJson.Parse("""{"N":1}"""u8)),
                }
            );
        }
        catch (ScriptRuntimeException)
        {
            // Refused, as it should be, or an error of the script's own.
        }
    }

    private sealed class Nowhere : IScriptOutput
    {
        public void Send(in ScriptMessage message) { }
    }
}
