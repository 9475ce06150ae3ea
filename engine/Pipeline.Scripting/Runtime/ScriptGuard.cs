using System.ComponentModel;
using System.Runtime.CompilerServices;

namespace Pipeline.Scripting.Runtime;

/// <summary>
/// Counts what the run on this thread uses. Compiled scripts call it in loops, lambdas and functions.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class ScriptGuard
{
    // Clock and allocation counter are read once per this many steps.
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

    /// <summary>One call of a function that is passed on, or a step of an iterator: checks the stack.</summary>
    /// <exception cref="InvalidOperationException">Little of it is left.</exception>
    public static void Call()
    {
        if (--_left < 0)
            Check();
        if (!RuntimeHelpers.TryEnsureSufficientExecutionStack())
            throw new InvalidOperationException("The script recurses too deeply: the stack is used up.");
    }

    /// <summary>
    /// The first field of an object whose fields create other objects: checks the stack. Always
    /// <see langword="false"/>, so that equality does not see it.
    /// </summary>
    public static bool Look()
    {
        Call();
        return false;
    }

    /// <summary>
    /// Checks a member of unknown type in a tuple, record or anonymous object. Its value must not be such an object
    /// again: their comparison would recurse without a guard.
    /// </summary>
    /// <exception cref="InvalidOperationException">The value is such an object.</exception>
    public static T Member<T>(T value)
    {
        if (value is not null and not string and not ScriptValue && !ClosedTypes.Contains(value.GetType()))
        {
            throw new InvalidOperationException(
                "An object of unknown type cannot be a member of another object; write its members out, or declare a class for it."
            );
        }

        return value;
    }

    /// <summary>One function call: recursion ends before the stack does.</summary>
    public static void Enter()
    {
        if (++_depth > MaxDepth || !RuntimeHelpers.TryEnsureSufficientExecutionStack())
        {
            _depth--;
            throw new InvalidOperationException($"The script recurses too deeply: more than {MaxDepth} calls.");
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

    /// <summary>
    /// How long one call into the class library may take at most; <see langword="null"/> outside of a run.
    /// </summary>
    /// <exception cref="ScriptLimitException">The run has gone over a limit.</exception>
    internal static TimeSpan? TimeForCall()
    {
        if (_run is not { } run)
            return null;
        var left = _left;
        _left = 0;
        var time = run.TimeForCall();
        _left = left;
        return time;
    }

    /// <summary>Counts memory that the next call takes in one piece, before it is taken.</summary>
    /// <exception cref="ScriptLimitException">The run would go over its limit.</exception>
    internal static void Claim(long bytes) => _run?.Claim(bytes);

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
        // The remaining time is rounded to this many parts of the limit, so that an object made for one timeout can be
        // reused.
        private const int Parts = 16;

        // A call is stopped by another clock than the run. A call that used up its time ends after the run's limit by
        // both clocks.
        private static readonly TimeSpan Coarseness = TimeSpan.FromMilliseconds(20);

        private ScriptLimits _limits = ScriptLimits.Default;
        private CancellationToken _cancellationToken;
        private long _end;
        private long _allocated;
        private long _claimed;
        private long _steps;

        /// <summary>The run that this one interrupts on its thread.</summary>
        public Run? Outer { get; private set; }

        /// <summary>
        /// The limit that was passed; a script that catches the exception is stopped at its next step, and fails in any
        /// case.
        /// </summary>
        public ScriptLimitException? Exceeded { get; private set; }

        public void Start(ScriptLimits limits, Run? outer, CancellationToken cancellationToken)
        {
            (_limits, Outer, _cancellationToken) = (limits, outer, cancellationToken);
            (_steps, Exceeded) = (0, null);

            // The coarse clock is exact to some milliseconds, and costs a third of the fine one.
            _end = Environment.TickCount64 + (long)System.Math.Min(limits.MaxTime.TotalMilliseconds, int.MaxValue) + 1;
            _allocated = GC.GetAllocatedBytesForCurrentThread();
            _claimed = 0;
        }

        // What was claimed is allocated right afterwards: the larger of the two sums is what the run has taken.
        public void Claim(long bytes)
        {
            var used = GC.GetAllocatedBytesForCurrentThread() - _allocated;
            _claimed = System.Math.Max(_claimed, used) + bytes;
            if (_claimed > _limits.MaxAllocatedBytes || Exceeded is not null)
                throw OutOfMemory();
        }

        public void Check()
        {
            _steps += Granule;
            if (Exceeded is { } before)
                throw Stop(before.Limit, before.Value);
            _cancellationToken.ThrowIfCancellationRequested();
            if (_steps > _limits.MaxSteps)
            {
                throw Stop(
                    nameof(_limits.MaxSteps),
                    _limits.MaxSteps.ToString(System.Globalization.CultureInfo.InvariantCulture)
                );
            }

            if (Environment.TickCount64 > _end)
                throw OutOfTime();
            CheckAllocated();
        }

        /// <summary>
        /// The end of a run that has not failed: one call, or the last ones, may have allocated without a step.
        /// </summary>
        /// <remarks>
        /// What was done in too long a time is kept: a pause of the machine would make it fail otherwise.
        /// </remarks>
        public void Finish()
        {
            if (Exceeded is { } exceeded)
                throw exceeded;
            CheckAllocated();
        }

        public TimeSpan TimeForCall()
        {
            if (Exceeded is { } before)
                throw Stop(before.Limit, before.Value);
            _cancellationToken.ThrowIfCancellationRequested();
            var left = (_end - Environment.TickCount64) * TimeSpan.TicksPerMillisecond;
            if (left < 0)
                throw OutOfTime();
            var part = System.Math.Clamp(
                _limits.MaxTime.Ticks / Parts,
                TimeSpan.TicksPerMillisecond,
                TimeSpan.TicksPerDay
            );
            return TimeSpan.FromTicks(((System.Math.Min(left, TimeSpan.TicksPerDay) / part) + 1) * part) + Coarseness;
        }

        private void CheckAllocated()
        {
            if (GC.GetAllocatedBytesForCurrentThread() - _allocated > _limits.MaxAllocatedBytes)
                throw OutOfMemory();
        }

        private ScriptLimitException OutOfMemory() =>
            Stop(
                nameof(_limits.MaxAllocatedBytes),
                _limits.MaxAllocatedBytes.ToString(System.Globalization.CultureInfo.InvariantCulture)
            );

        private ScriptLimitException OutOfTime() =>
            Stop(
                nameof(_limits.MaxTime),
                _limits.MaxTime.ToString("c", System.Globalization.CultureInfo.InvariantCulture)
            );

        public ScriptLimitException Stop(string limit, string value)
        {
            Exceeded ??= new ScriptLimitException(limit, value);
            return new ScriptLimitException(limit, value);
        }
    }
}
