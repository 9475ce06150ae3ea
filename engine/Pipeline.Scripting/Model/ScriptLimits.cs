namespace Pipeline.Scripting;

/// <summary>
/// The limits of one run of a script. A run over a limit ends with <see cref="ScriptLimitException"/>.
/// </summary>
/// <remarks>Checked cooperatively, in loops, lambdas and functions: a single call into the class library is not
/// interrupted, except calls of regular expressions. Allocations are checked once more at the end.</remarks>
public sealed record ScriptLimits
{
    /// <summary>The default limits of a run.</summary>
    public static ScriptLimits Default { get; } = new();

    /// <summary>Loop iterations and function calls.</summary>
    public long MaxSteps { get; init; } = 50_000_000;

    /// <summary>Wall-clock time.</summary>
    public TimeSpan MaxTime { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>Bytes allocated by the run, whether or not they are still in use.</summary>
    /// <remarks>
    /// A list that a C# query fills doubles when it grows. Such a run is stopped at twice the limit at the latest.
    /// </remarks>
    public long MaxAllocatedBytes { get; init; } = 512L << 20;

    /// <summary>Bytes of one message's body, or of one object that an index makes.</summary>
    public int MaxBodyBytes { get; init; } = 64 << 20;

    /// <summary>Messages sent by the run, or entries that an index makes of one document.</summary>
    public int MaxMessages { get; init; } = 100_000;
}
