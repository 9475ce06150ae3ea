namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary><c>from Orders as o</c>.</summary>
/// <param name="Kind">The kind of source.</param>
/// <param name="Name">The collection's or index's name; <c>@all_docs</c> for all documents.</param>
/// <param name="Alias">The name for a document in the rest of the query; null if there is none.</param>
/// <param name="Span">Where the name stands.</param>
public sealed record FromSyntax(FromKind Kind, string Name, string? Alias, SourceSpan Span)
{
    /// <summary>
    /// Whether every version is read, each with the one before: <c>from Orders (Revisions = true)</c>.
    /// </summary>
    public bool Revisions { get; init; }
}
