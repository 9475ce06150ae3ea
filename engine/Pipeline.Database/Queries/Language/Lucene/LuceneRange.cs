namespace Pipeline.Database.Queries.Language.Lucene;

/// <summary>Values between two: <c>[a TO b]</c>, and <c>{a TO b}</c> without its ends.</summary>
/// <param name="Field">The field named before it; null if there is none.</param>
/// <param name="Low">The lower end; null for none, <c>*</c>.</param>
/// <param name="High">The upper end; null for none, <c>*</c>.</param>
/// <param name="IncludesLow">Whether the lower end belongs to it.</param>
/// <param name="IncludesHigh">Whether the upper end belongs to it.</param>
/// <param name="Boost">The factor for its score.</param>
public sealed record LuceneRange(
    string? Field,
    string? Low,
    string? High,
    bool IncludesLow,
    bool IncludesHigh,
    double Boost
) : LuceneNode(Field, Boost);
