namespace Pipeline.Indexing;

/// <summary>Entries in which the field has a null, with the score 1.</summary>
/// <param name="Field">The field's name.</param>
public sealed record NullQuery(string Field) : Query;
