namespace Pipeline.Worker.Tasks;

/// <summary>What a POST to <c>/etl/resume</c> says.</summary>
/// <param name="Task">The task.</param>
/// <param name="From">The first position to send, or <c>position</c>, <c>lineage</c> or <c>end</c>.</param>
internal sealed record ResumeBody(string? Task, string? From);
