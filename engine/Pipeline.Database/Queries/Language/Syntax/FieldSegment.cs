namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>One step of a path.</summary>
/// <param name="Name">The property's name, as it is.</param>
/// <param name="IsArray">Whether <c>[]</c> follows: the path goes on in every element.</param>
public readonly record struct FieldSegment(string Name, bool IsArray);
