using Pipeline.Scripting;
using Pipeline.Yaml;

namespace Pipeline.Etl.Configuration;

/// <summary><c>limits</c> of a task: the resources that one run of its transform may use. If a run exceeds one, its
/// document becomes a dead letter and the task continues.</summary>
public sealed class LimitsConfiguration
{
    /// <summary>The time.</summary>
    [Setting(
        "How long one run may take. Loops, lambdas and functions check it. A single call into .NET's library is not interrupted, except for regular expressions.",
        Minimum = 0.001,
        Maximum = 600
    )]
    public TimeSpan Time { get; init; } = ScriptLimits.Default.MaxTime;

    /// <summary>The memory.</summary>
    [Setting("Bytes that one run may allocate, in use or not. Checked like 'time', and at the end.", Minimum = 65536)]
    public long AllocatedBytes { get; init; } = ScriptLimits.Default.MaxAllocatedBytes;

    /// <summary>The steps.</summary>
    [Setting("Loop rounds and calls of functions and lambdas that one run may make.", Minimum = 1000)]
    public long Steps { get; init; } = ScriptLimits.Default.MaxSteps;

    /// <summary>The messages.</summary>
    [Setting("Messages that one run may send.", Minimum = 1)]
    public int Messages { get; init; } = ScriptLimits.Default.MaxMessages;

    /// <summary>The body.</summary>
    [Setting(
        "Bytes of one message's body. All bodies of one run together may have 64MiB, or this many bytes if that is more.",
        Minimum = 1,
        Maximum = 1 << 30
    )]
    public int BodyBytes { get; init; } = ScriptLimits.Default.MaxBodyBytes;

    /// <summary>The limits as scripts take them.</summary>
    internal ScriptLimits ToScriptLimits() =>
        new()
        {
            MaxTime = Time,
            MaxAllocatedBytes = AllocatedBytes,
            MaxSteps = Steps,
            MaxMessages = Messages,
            MaxBodyBytes = BodyBytes,
        };
}
