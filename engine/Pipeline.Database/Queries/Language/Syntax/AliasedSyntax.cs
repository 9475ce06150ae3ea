namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>A value with a name: an item of <c>select</c>, <c>load</c> or <c>group by</c>.</summary>
/// <param name="Expression">The value.</param>
/// <param name="Alias">The name after <c>as</c>; null if there is none.</param>
/// <param name="IsArrayAlias">Whether <c>[]</c> follows the name, which then stands for all loaded documents.</param>
public sealed record AliasedSyntax(ExpressionSyntax Expression, string? Alias, bool IsArrayAlias);
