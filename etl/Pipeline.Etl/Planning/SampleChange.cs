namespace Pipeline.Etl.Planning;

/// <summary>What a transform makes of one real document, before and after.</summary>
/// <param name="DocumentId">The document.</param>
/// <param name="Old">The messages as lines of YAML, or the error; <see langword="null"/> where there is no transform of before.</param>
/// <param name="New">The messages as they would be, or the error.</param>
/// <param name="Difference">Lines with <c>-</c>, <c>+</c> or a space before them; none where both are equal.</param>
public sealed record SampleChange(string DocumentId, string? Old, string New, IReadOnlyList<string> Difference);
