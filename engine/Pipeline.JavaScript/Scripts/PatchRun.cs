using Pipeline.Json;
using Pipeline.Scripting;

namespace Pipeline.JavaScript;

/// <summary>The inputs of one run of a patch. Immutable.</summary>
/// <param name="Document">The document, <c>this</c>.</param>
/// <param name="Arguments">The value of <c>args</c>; empty for none.</param>
/// <param name="Documents">The documents for <c>load</c>, <c>put</c> and <c>del</c>.</param>
/// <param name="Now">The value of <c>new Date()</c>.</param>
public sealed record PatchRun(
    ScriptDocument Document,
    BinaryJson Arguments,
    IPatchDocuments Documents,
    DateTimeOffset Now
)
{
    /// <summary>The limits of the run.</summary>
    public ScriptLimits Limits { get; init; } = new() { MaxTime = TimeSpan.FromSeconds(2), MaxSteps = 1_000_000 };
}

/// <summary>The result of a patch.</summary>
/// <param name="Changed">
/// The document as JSON with its <c>@metadata</c>; <see langword="null"/> where the script has not changed it.
/// </param>
/// <param name="Output">The arguments of <c>output(…)</c>, as text.</param>
public sealed record PatchOutcome(ReadOnlyMemory<byte>? Changed, IReadOnlyList<string> Output);
