namespace Pipeline.Database.Queries.Language.Lucene;

/// <summary>One word or pattern.</summary>
/// <param name="Field">The field named before it; null if there is none.</param>
/// <param name="Text">The word or pattern.</param>
/// <param name="Kind">How it is meant.</param>
/// <param name="Fuzziness">
/// Of a fuzzy term: the number behind <c>~</c>, a similarity below 1 or a distance from 1 up; null if there is none.
/// </param>
/// <param name="Boost">The factor for its score.</param>
public sealed record LuceneTerm(string? Field, string Text, LuceneTermKind Kind, double? Fuzziness, double Boost)
    : LuceneNode(Field, Boost);
