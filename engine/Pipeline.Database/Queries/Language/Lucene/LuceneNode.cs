namespace Pipeline.Database.Queries.Language.Lucene;

/// <summary>A part of a text in Lucene's query syntax. Immutable.</summary>
/// <param name="Field">The field that is named before it, <c>field:…</c>; null where none is.</param>
/// <param name="Boost">The factor for its score, <c>^2</c>; 1 by default.</param>
public abstract record LuceneNode(string? Field, double Boost);
