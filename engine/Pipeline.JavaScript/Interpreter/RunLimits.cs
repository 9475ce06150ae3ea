using System.Globalization;
using System.Runtime.CompilerServices;
using Jint;
using Jint.Native;
using Jint.Native.Object;
using Pipeline.Scripting;

namespace Pipeline.JavaScript;

/// <summary>Holds a run to its limits. Jint checks it at every statement and in the loops of its built-in functions. It
/// is armed for one run, during which the engine may be entered many times.</summary>
internal sealed class RunLimits : Constraint
{
    private const int LookEvery = 16;
    private const int TextShare = 256;
    private const int MaxNested = 64;
    private const int MinText = 1 << 16;
    private const int MaxPrototypes = 256;
    private ScriptLimits _limits = ScriptLimits.Default;
    private CancellationToken _cancellation;
    private ScriptLimitException? _exceeded;
    private long _steps,
        _stepsLook,
        _calls,
        _callsLook,
        _end,
        _mostAllocated = long.MaxValue,
        _copied;
    private nint _floor;
    private int _depth;
    private bool _armed;

    /// <summary>
    /// The most characters of a text. It is a share of the bytes that a run may allocate, because one call may make
    /// several copies and a list of the characters.
    /// </summary>
    public int MaxText { get; private set; }

    /// <summary>Arms it.</summary>
    public void Begin(ScriptLimits limits, CancellationToken cancellationToken)
    {
        (_limits, _cancellation, _copied, _depth, _armed, _exceeded) = (limits, cancellationToken, 0, 0, true, null);
        (_steps, _calls, _callsLook) = (0, 0, LookEvery);
        _stepsLook = Math.Min(LookEvery, limits.MaxSteps);
        MaxText = (int)Math.Clamp(limits.MaxAllocatedBytes / TextShare, MinText, int.MaxValue);
        _end = Environment.TickCount64 + (long)Math.Min(limits.MaxTime.TotalMilliseconds, int.MaxValue) + 1;
        _mostAllocated = GC.GetAllocatedBytesForCurrentThread() + Math.Min(limits.MaxAllocatedBytes, long.MaxValue / 2);
        _floor = StackBudget.Floor();
    }

    /// <summary>Disarms it.</summary>
    public void End() => (_armed, _floor, _mostAllocated) = (false, 0, long.MaxValue);

    /// <summary>The end of a run that has not failed: the last statement has allocated, too.</summary>
    public void Finish()
    {
        if (_exceeded is { } before)
            throw before;
        CheckAllocated();
    }

    /// <inheritdoc/>
    public override void Check()
    {
        if (++_steps > _stepsLook)
            LookAtSteps();
        CheckStack();
        CheckAllocated();
    }

    /// <summary>As <see cref="Check"/>, within a statement.</summary>
    public void Look()
    {
        if (!_armed)
            return;
        if (_exceeded is { } before)
            throw Over(before.Limit, before.Value);
        CheckStack();
        CheckAllocated();
        CheckTime();
    }

    /// <summary>
    /// Counts characters that are about to be copied. Each counts twice, because a text that grows doubles its space.
    /// </summary>
    public void Count(long length)
    {
        _copied += 2 * length * sizeof(char);
        if (_armed && _copied > _limits.MaxAllocatedBytes)
        {
            throw Over(
                nameof(ScriptLimits.MaxAllocatedBytes),
                _limits.MaxAllocatedBytes.ToString(CultureInfo.InvariantCulture)
            );
        }
    }

    /// <summary>A function begins that is not the script's.</summary>
    public void Enter()
    {
        if (++_calls > _callsLook)
            LookAtCalls();
        CheckStack();
        if (_armed)
            CheckTime();
    }

    /// <summary>
    /// A built-in function begins that takes less than a microsecond and calls no other function. The clock is read
    /// once in <see cref="LookEvery"/> such calls.
    /// </summary>
    public void EnterShort()
    {
        if (++_calls > _callsLook)
        {
            LookAtCalls();
            if (_armed)
                CheckTime();
        }

        CheckStack();
    }

    /// <summary>
    /// A built-in function begins that may call others. Those that close an iterator catch an error and throw it again,
    /// which keeps much stack for each.
    /// </summary>
    public void EnterBuiltIn()
    {
        Enter();
        if (_depth >= MaxNested && _armed)
            throw Over("built-in functions within each other", MaxNested.ToString(CultureInfo.InvariantCulture));
        _depth++;
    }

    /// <summary>The end of a built-in function.</summary>
    public void LeaveBuiltIn() => _depth--;

    /// <summary>Refuses a text that is too long.</summary>
    public void CheckText(long length)
    {
        if (_armed && length > MaxText)
        {
            throw Over(
                nameof(ScriptLimits.MaxAllocatedBytes),
                _limits.MaxAllocatedBytes.ToString(CultureInfo.InvariantCulture)
            );
        }
    }

    /// <summary>
    /// Refuses an object with a long chain of prototypes. Each read of a missing member walks down the chain, and
    /// built-in functions read many members.
    /// </summary>
    public static void CheckChain(JsValue value)
    {
        var length = 0;
        for (var at = value as ObjectInstance; at is not null; at = at.Prototype)
        {
            if (++length > MaxPrototypes)
            {
                throw new ScriptRuntimeException(
                    $"an object has a chain of more than {MaxPrototypes.ToString(CultureInfo.InvariantCulture)} prototypes; make objects of one prototype"
                );
            }
        }
    }

    /// <inheritdoc/>
    public override void Reset() { }

    private void LookAtSteps()
    {
        if (!_armed)
        {
            _stepsLook = _steps + LookEvery;
            return;
        }

        if (_exceeded is { } before)
            throw Over(before.Limit, before.Value);
        if (_steps > _limits.MaxSteps)
            throw Over(nameof(ScriptLimits.MaxSteps), _limits.MaxSteps.ToString(CultureInfo.InvariantCulture));
        _stepsLook = Math.Min(_steps + LookEvery, _limits.MaxSteps);
        CheckTime();
    }

    private void LookAtCalls()
    {
        if (_armed && _exceeded is { } before)
            throw Over(before.Limit, before.Value);
        _callsLook = _calls + LookEvery;
        CheckAllocated();
    }

    private void CheckTime()
    {
        // The coarse clock is cheap enough for each look: between two of them, a built-in function may take many slow
        // steps.
        _cancellation.ThrowIfCancellationRequested();
        if (Environment.TickCount64 > _end)
            throw Over(nameof(ScriptLimits.MaxTime), _limits.MaxTime.ToString("c", CultureInfo.InvariantCulture));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void CheckStack()
    {
        if (!StackBudget.IsAbove(_floor))
            ThrowStack();
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void CheckAllocated()
    {
        if (GC.GetAllocatedBytesForCurrentThread() > _mostAllocated)
            ThrowAllocated();
    }

    private void ThrowStack() => throw Over("stack", StackBudget.Size);

    private void ThrowAllocated() =>
        throw Over(
            nameof(ScriptLimits.MaxAllocatedBytes),
            _limits.MaxAllocatedBytes.ToString(CultureInfo.InvariantCulture)
        );

    /// <summary>
    /// Each later step and call of the run looks again, and so fails again: a script must not go on by catching the error.
    /// </summary>
    private ScriptLimitException Over(string limit, string value)
    {
        _exceeded ??= new ScriptLimitException(limit, value);
        (_stepsLook, _callsLook) = (0, 0);
        return new ScriptLimitException(limit, value);
    }
}
