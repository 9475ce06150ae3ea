namespace Pipeline.Database.Indexes;

/// <summary>Something that happened to an index.</summary>
/// <param name="Kind">The kind of change.</param>
/// <param name="Name">The index.</param>
public sealed record IndexChange(IndexChangeKind Kind, string Name);
