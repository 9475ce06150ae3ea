using Pipeline.Json;
using Pipeline.Scripting;

namespace Pipeline.JavaScript;

/// <summary>The inputs of one run of a projection. Immutable.</summary>
/// <param name="Arguments">The values of the names, in their order.</param>
/// <param name="Documents">The documents for <c>load</c> and <c>include</c>.</param>
/// <param name="Now">The value of <c>new Date()</c>.</param>
public sealed record ProjectionRun(
    IReadOnlyList<ProjectionArgument> Arguments,
    IProjectionDocuments Documents,
    DateTimeOffset Now
)
{
    /// <summary>The limits of the run; each result is one run.</summary>
    public ScriptLimits Limits { get; init; } = new() { MaxTime = TimeSpan.FromSeconds(1), MaxSteps = 1_000_000 };
}

/// <summary>The meaning of a name in one run of a projection.</summary>
/// <param name="Document">A whole document; null for a value.</param>
/// <param name="Value">The value, if it is not a document.</param>
public readonly record struct ProjectionArgument(ScriptDocument? Document, BinaryJson Value);
