namespace Pipeline.Database.Queries.Language.Lucene;

/// <summary>Words one after the other: <c>"new york"~2</c>.</summary>
/// <param name="Field">The field named before it; null if there is none.</param>
/// <param name="Text">The words.</param>
/// <param name="Slop">By how many places words may be moved.</param>
/// <param name="Boost">The factor for its score.</param>
public sealed record LucenePhrase(string? Field, string Text, int Slop, double Boost) : LuceneNode(Field, Boost);
