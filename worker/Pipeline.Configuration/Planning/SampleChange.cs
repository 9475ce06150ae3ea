namespace Pipeline.Configuration.Planning;

/// <summary>
/// The messages that a transform makes from one real document, before and after a change of the configuration.
/// </summary>
/// <param name="DocumentId">The document.</param>
/// <param name="Old">
/// The messages as lines of YAML, or the error; <see langword="null"/> if there was no transform before.
/// </param>
/// <param name="New">The messages after the change as lines of YAML, or the error.</param>
/// <param name="Difference">Lines that begin with <c>-</c>, <c>+</c> or a space; empty if both are equal.</param>
public sealed record SampleChange(string DocumentId, string? Old, string New, IReadOnlyList<string> Difference);
