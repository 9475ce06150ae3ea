namespace Pipeline.Database.Queries.Language.Lucene;

/// <summary>Clauses joined.</summary>
/// <param name="Field">The field named before the parenthesis; null if there is none.</param>
/// <param name="Clauses">The clauses in order; at least one.</param>
/// <param name="Boost">The factor for its score.</param>
public sealed record LuceneBoolean(string? Field, IReadOnlyList<LuceneClause> Clauses, double Boost)
    : LuceneNode(Field, Boost);
