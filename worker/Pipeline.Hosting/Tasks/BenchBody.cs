namespace Pipeline.Hosting.Tasks;

/// <summary>The body of a POST to <c>/etl/bench</c> and the paths below it.</summary>
/// <param name="Task">The task.</param>
/// <param name="Script">The script to try; <see langword="null"/> for the task's own transform.</param>
/// <param name="Ids">The documents to try it on; empty for the last ones that the task takes.</param>
/// <param name="Sample">How many of the last ones; 20 if it is not given, at most 1000.</param>
internal sealed record BenchBody(string? Task, string? Script, IReadOnlyList<string>? Ids, int? Sample);
