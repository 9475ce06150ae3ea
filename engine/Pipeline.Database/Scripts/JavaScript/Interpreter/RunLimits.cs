using System.Diagnostics;
using System.Globalization;
using Jint;

namespace Pipeline.Database.Scripts.JavaScript;

/// <summary>Holds a run to its limits; looked at with every statement. It is armed for one run, during which the engine may be entered many times.</summary>
internal sealed class RunLimits : Constraint
{
    private const int ClockEvery = 64;
    private ScriptLimits _limits = ScriptLimits.Default;
    private CancellationToken _cancellation;
    private long _steps, _started, _allocated;
    private bool _armed;

    /// <summary>Arms it.</summary>
    public void Begin(ScriptLimits limits, CancellationToken cancellationToken)
    {
        (_limits, _cancellation, _steps, _armed) = (limits, cancellationToken, 0, true);
        _started = Stopwatch.GetTimestamp();
        _allocated = GC.GetAllocatedBytesForCurrentThread();
    }

    /// <summary>Disarms it.</summary>
    public void End() => _armed = false;

    /// <summary>The end of a run that has not failed: the last statement has allocated, too.</summary>
    public void Finish() => CheckAllocated();

    /// <inheritdoc/>
    public override void Check()
    {
        if (!_armed) return;
        if (++_steps > _limits.MaxSteps) throw Over(nameof(ScriptLimits.MaxSteps), _limits.MaxSteps.ToString(CultureInfo.InvariantCulture));
        CheckAllocated();
        if (_steps % ClockEvery != 0) return;
        _cancellation.ThrowIfCancellationRequested();
        if (Stopwatch.GetElapsedTime(_started) > _limits.MaxTime) throw Over(nameof(ScriptLimits.MaxTime), _limits.MaxTime.ToString("c", CultureInfo.InvariantCulture));
    }

    /// <inheritdoc/>
    public override void Reset()
    {
    }

    private void CheckAllocated()
    {
        if (GC.GetAllocatedBytesForCurrentThread() - _allocated > _limits.MaxAllocatedBytes)
            throw Over(nameof(ScriptLimits.MaxAllocatedBytes), _limits.MaxAllocatedBytes.ToString(CultureInfo.InvariantCulture));
    }

    private static ScriptLimitException Over(string limit, string value) => new(limit, value);
}
