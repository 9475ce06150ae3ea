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

    internal static void Begin(Run run, ScriptLimits limits, CancellationToken cancellationToken)
    {
        run.Start(limits, _run, cancellationToken);
        _run = run;
        _left = Granule;
        _depth = 0;
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

    /// <summary>What one run may use and has used; used again by the next run of the same program.</summary>
    internal sealed class Run
    {
        private ScriptLimits _limits = ScriptLimits.Default;
        private CancellationToken _cancellationToken;
        private long _started;
        private long _allocated;
        private long _steps;

        /// <summary>The run that this one interrupts on its thread.</summary>
        public Run? Outer { get; private set; }

        /// <summary>The limit that was passed; a script that catches the exception is stopped at its next step, and fails in any case.</summary>
        public ScriptLimitException? Exceeded { get; private set; }

        public void Start(ScriptLimits limits, Run? outer, CancellationToken cancellationToken)
        {
            (_limits, Outer, _cancellationToken) = (limits, outer, cancellationToken);
            (_steps, Exceeded) = (0, null);
            _started = Stopwatch.GetTimestamp();
            _allocated = GC.GetAllocatedBytesForCurrentThread();
        }

        public void Check()
        {
            _steps += Granule;
            if (Exceeded is { } before)
                throw Stop(before.Limit, before.Value);
            _cancellationToken.ThrowIfCancellationRequested();
            if (_steps > _limits.MaxSteps)
                throw Stop(nameof(_limits.MaxSteps), _limits.MaxSteps.ToString(System.Globalization.CultureInfo.InvariantCulture));
            if (Stopwatch.GetElapsedTime(_started) > _limits.MaxTime)
                throw Stop(nameof(_limits.MaxTime), _limits.MaxTime.ToString("c", System.Globalization.CultureInfo.InvariantCulture));
            if (GC.GetAllocatedBytesForCurrentThread() - _allocated > _limits.MaxAllocatedBytes)
                throw Stop(nameof(_limits.MaxAllocatedBytes), _limits.MaxAllocatedBytes.ToString(System.Globalization.CultureInfo.InvariantCulture));
        }

        public ScriptLimitException Stop(string limit, string value)
        {
            Exceeded ??= new ScriptLimitException(limit, value);
            return new ScriptLimitException(limit, value);
        }
    }
}
