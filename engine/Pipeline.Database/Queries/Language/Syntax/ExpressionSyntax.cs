namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>A condition or a value of a query. Immutable; the whole tree is thread-safe.</summary>
/// <param name="Span">The place in the query's text.</param>
public abstract record ExpressionSyntax(SourceSpan Span)
{
    /// <summary>
    /// Levels from here down to the deepest leaf; a walk by recursion goes as deep, and the parser bounds it.
    /// </summary>
    internal virtual int Height => 1;

    /// <summary>The canonical text, as <see cref="QueryPrinter"/> writes it.</summary>
    /// <returns>A new string.</returns>
    public sealed override string ToString() => QueryPrinter.Print(this);

    private protected static int Above(
        ExpressionSyntax first,
        ExpressionSyntax? second = null,
        ExpressionSyntax? third = null
    ) => 1 + Math.Max(first.Height, Math.Max(second?.Height ?? 0, third?.Height ?? 0));

    private protected static int Above(IEnumerable<ExpressionSyntax> children) =>
        1 + children.Select(c => c.Height).DefaultIfEmpty().Max();
}
