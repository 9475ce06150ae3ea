using System.ComponentModel;
using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Pipeline.Database.Scripts.Runtime;

/// <summary>Counts what the run on this thread uses. Compiled scripts call it in loops, lambdas and functions.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class ScriptGuard
{
    // Clock and allocation counter are read once in so many steps.
    private const int Granule = 32;
    private const int MaxDepth = 1000;

    [ThreadStatic]
    private static int _depth;

    [ThreadStatic]
    private static int _left;

    [ThreadStatic]
    private static Run? _run;

    /// <summary>One iteration.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Step()
    {
        if (--_left < 0)
            Check();
    }

    /// <summary>One function call: recursion ends before the stack does.</summary>
    public static void Enter()
    {
        if (++_depth > MaxDepth || !RuntimeHelpers.TryEnsureSufficientExecutionStack())
        {
            _depth--;
            throw new InvalidOperationException($"The script calls itself too deeply: more than {MaxDepth} calls.");
        }

        if (--_left >= 0)
            return;
        try
        {
            Check();
        }
        catch
        {
            _depth--;
            throw;
        }
    }

    /// <summary>The end of a function call.</summary>
    public static void Leave() => _depth--;

    internal static Run Begin(ScriptLimits limits, CancellationToken cancellationToken)
    {
        var run = new Run(limits, _run, cancellationToken);
        _run = run;
        _left = Granule;
        _depth = 0;
        return run;
    }

    internal static void End(Run run)
    {
        _run = run.Outer;
        _left = Granule;
    }

    private static void Check()
    {
        // Stays at 0 if that throws: a script that catches it is stopped at its very next step, wherever that is.
        _left = 0;
        _run?.Check();
        _left = Granule;
    }

    internal sealed class Run(ScriptLimits limits, Run? outer, CancellationToken cancellationToken)
    {
        private readonly long _started = Stopwatch.GetTimestamp();
        private readonly long _allocated = GC.GetAllocatedBytesForCurrentThread();
        private long _steps;

        public Run? Outer => outer;

        /// <summary>The limit that was passed; a script that catches the exception is stopped at its next step, and fails in any case.</summary>
        public ScriptLimitException? Exceeded { get; private set; }

        public void Check()
        {
            _steps += Granule;
            if (Exceeded is { } before)
                throw Stop(before.Limit, before.Value);
            cancellationToken.ThrowIfCancellationRequested();
            if (_steps > limits.MaxSteps)
                throw Stop(nameof(limits.MaxSteps), limits.MaxSteps.ToString(System.Globalization.CultureInfo.InvariantCulture));
            if (Stopwatch.GetElapsedTime(_started) > limits.MaxTime)
                throw Stop(nameof(limits.MaxTime), limits.MaxTime.ToString("c", System.Globalization.CultureInfo.InvariantCulture));
            if (GC.GetAllocatedBytesForCurrentThread() - _allocated > limits.MaxAllocatedBytes)
                throw Stop(nameof(limits.MaxAllocatedBytes), limits.MaxAllocatedBytes.ToString(System.Globalization.CultureInfo.InvariantCulture));
        }

        public ScriptLimitException Stop(string limit, string value)
        {
            Exceeded ??= new ScriptLimitException(limit, value);
            return new ScriptLimitException(limit, value);
        }
    }
}
