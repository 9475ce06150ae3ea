using System.Runtime;

namespace Pipeline.Benchmarks;

/// <summary>
/// Repeats work before the clock starts until the runtime has fully compiled it. Once methods have been called often,
/// the runtime's compiler uses half of a processor for half a second, even in the middle of a measurement. The peers
/// are compiled ahead of time.
/// </summary>
public static class WarmUp
{
    private const int MaxRounds = 10;
    private const int FewMethods = 5;
    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(50),
        Quiet = TimeSpan.FromMilliseconds(250),
        Timeout = TimeSpan.FromSeconds(10);

    /// <summary>Repeats the work until hardly a method is compiled any more; returns how often it was done.</summary>
    public static int Run(Action work)
    {
        for (var round = 1; ; round++)
        {
            var before = JitInfo.GetCompiledMethodCount();
            work();
            AwaitCompiler();
            if (round == MaxRounds || JitInfo.GetCompiledMethodCount() - before < FewMethods)
                return round;
        }
    }

    private static void AwaitCompiler()
    {
        var seen = JitInfo.GetCompiledMethodCount();
        var clock = new Clock();
        for (var still = TimeSpan.Zero; still < Quiet && clock.Seconds < Timeout.TotalSeconds; )
        {
            Thread.Sleep(Step);
            var now = JitInfo.GetCompiledMethodCount();
            still = now == seen ? still + Step : TimeSpan.Zero;
            seen = now;
        }
    }
}
