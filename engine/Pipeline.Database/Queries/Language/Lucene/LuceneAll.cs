namespace Pipeline.Database.Queries.Language.Lucene;

/// <summary>Everything: <c>*:*</c>.</summary>
/// <param name="Boost">Its score.</param>
public sealed record LuceneAll(double Boost) : LuceneNode(null, Boost);
