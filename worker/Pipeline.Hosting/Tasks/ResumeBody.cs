namespace Pipeline.Hosting.Tasks;

/// <summary>The body of a POST to <c>/etl/resume</c>.</summary>
/// <param name="Task">The task.</param>
/// <param name="From">The first position to send, or <c>position</c>, <c>lineage</c> or <c>end</c>.</param>
internal sealed record ResumeBody(string? Task, string? From);
