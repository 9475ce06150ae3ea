namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>One order of the results.</summary>
/// <param name="Expression">A field, or <c>score()</c>, <c>random()</c>, <c>spatial.distance()</c>, an aggregate.</param>
/// <param name="Type">As what it is ordered.</param>
/// <param name="IsDescending">Whether the greatest comes first.</param>
public sealed record OrderSyntax(ExpressionSyntax Expression, OrderType Type, bool IsDescending);
