namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>One sort key of the results.</summary>
/// <param name="Expression">
/// A field, or <c>score()</c>, <c>random()</c>, <c>spatial.distance()</c>, an aggregate.
/// </param>
/// <param name="Type">How the values are compared.</param>
/// <param name="IsDescending">Whether the greatest comes first.</param>
public sealed record OrderSyntax(ExpressionSyntax Expression, OrderType Type, bool IsDescending);
