namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>
/// A path: <c>Address.City</c>, <c>Lines[].Product</c>, <c>'a name'.b</c>. The first name may be an alias.
/// </summary>
/// <param name="Segments">The steps, at least one.</param>
/// <param name="Span">The place in the text.</param>
public sealed record FieldSyntax(IReadOnlyList<FieldSegment> Segments, SourceSpan Span) : ExpressionSyntax(Span)
{
    /// <summary>The names with dots between and <c>[]</c> behind arrays, without quotes.</summary>
    public string Path => string.Join('.', Segments.Select(s => s.IsArray ? s.Name + "[]" : s.Name));
}
