namespace Pipeline.Database.Scripts.JavaScript;

/// <summary>What one run of a projection works on. Immutable.</summary>
/// <param name="Arguments">What the names stand for, in their order.</param>
/// <param name="Documents">What <c>load</c> and <c>include</c> work on.</param>
/// <param name="Now">What <c>new Date()</c> is.</param>
public sealed record ProjectionRun(IReadOnlyList<ProjectionArgument> Arguments, IProjectionDocuments Documents, DateTimeOffset Now)
{
    /// <summary>What the run may use: each result is one.</summary>
    public ScriptLimits Limits { get; init; } = new() { MaxTime = TimeSpan.FromSeconds(1), MaxSteps = 1_000_000 };
}
