namespace Pipeline.Database.Queries.Language;

/// <summary>
/// Limits of a query's text. A text over a limit is refused as <see cref="QueryErrorKind.Limit"/>; the error names the
/// limit.
/// </summary>
public static class QueryTextLimits
{
    /// <summary>Characters of the whole text, at most.</summary>
    public const int MaxLength = 1024 * 1024;

    /// <summary>Parentheses, functions and operators within one another, at most.</summary>
    public const int MaxDepth = 128;
}
