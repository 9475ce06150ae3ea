namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>One step of a path.</summary>
/// <param name="Name">The property's name, unchanged.</param>
/// <param name="IsArray">Whether <c>[]</c> follows: the path continues in every element.</param>
public readonly record struct FieldSegment(string Name, bool IsArray);
