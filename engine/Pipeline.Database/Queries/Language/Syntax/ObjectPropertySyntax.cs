namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>A property of an object that a query makes.</summary>
/// <param name="Name">Its name; null for <c>...value</c>, which takes all properties of the value.</param>
/// <param name="Value">Its value.</param>
public sealed record ObjectPropertySyntax(string? Name, ExpressionSyntax Value);
