namespace Pipeline.Indexing;

/// <summary>Entries that have the field at all, be it null or empty, with the score 1.</summary>
/// <param name="Field">The field's name.</param>
public sealed record ExistsQuery(string Field) : Query;
