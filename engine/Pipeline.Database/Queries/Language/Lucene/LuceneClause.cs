namespace Pipeline.Database.Queries.Language.Lucene;

/// <summary>A part of a <see cref="LuceneBoolean"/>.</summary>
/// <param name="Occurrence">Whether it must hold.</param>
/// <param name="Node">What must hold.</param>
public sealed record LuceneClause(LuceneOccurrence Occurrence, LuceneNode Node);
