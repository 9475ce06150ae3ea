namespace Pipeline.Configuration.Testing;

/// <summary>What a script gives for some documents, beside what the task's own transform gives for them.</summary>
/// <param name="Task">The task.</param>
/// <param name="Faults">Why the script does not compile, or cannot work; lines are those of the script.</param>
/// <param name="Tried">How many documents were tried.</param>
/// <param name="Different">For how many of them the script gives something else than the task's transform.</param>
/// <param name="Documents">Each document, the last changed one first.</param>
internal sealed record BenchResult(
    string Task,
    IReadOnlyList<BenchFault> Faults,
    int Tried,
    int Different,
    IReadOnlyList<BenchDocument> Documents
);

/// <summary>A fault of a script.</summary>
/// <param name="Line">The line, from 1.</param>
/// <param name="Column">The column, from 1.</param>
/// <param name="Message">The error.</param>
/// <param name="Suggestion">What to do about it, or <see langword="null"/>.</param>
internal sealed record BenchFault(int Line, int Column, string Message, string? Suggestion);
