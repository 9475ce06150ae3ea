namespace Pipeline.Database.Queries.Language.Lucene;

/// <summary>A part of a <see cref="LuceneBoolean"/>.</summary>
/// <param name="Occurrence">Whether it must hold.</param>
/// <param name="Node">The clause's condition.</param>
public sealed record LuceneClause(LuceneOccurrence Occurrence, LuceneNode Node);
