using Pipeline.Database.Json;

namespace Pipeline.Database.Scripts.JavaScript;

/// <summary>What one run of a patch works on. Immutable.</summary>
/// <param name="Document">The document, <c>this</c>.</param>
/// <param name="Arguments">What <c>args</c> is; empty for none.</param>
/// <param name="Documents">What <c>load</c>, <c>put</c> and <c>del</c> work on.</param>
/// <param name="Now">What <c>new Date()</c> is.</param>
public sealed record PatchRun(ScriptDocument Document, BinaryJson Arguments, IPatchDocuments Documents, DateTimeOffset Now)
{
    /// <summary>What the run may use.</summary>
    public ScriptLimits Limits { get; init; } = new() { MaxTime = TimeSpan.FromSeconds(2), MaxSteps = 1_000_000 };
}
