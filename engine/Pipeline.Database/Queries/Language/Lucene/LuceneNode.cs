namespace Pipeline.Database.Queries.Language.Lucene;

/// <summary>A part of a text in Lucene's query syntax. Immutable.</summary>
/// <param name="Field">The field named before it, <c>field:…</c>; null if there is none.</param>
/// <param name="Boost">The factor for its score, <c>^2</c>; 1 by default.</param>
public abstract record LuceneNode(string? Field, double Boost);
