namespace Pipeline.Indexing;

/// <summary>Entries with a term between two bounds in byte order, with the score 1.</summary>
/// <param name="Field">The field's name.</param>
/// <param name="Low">The lower bound; null for none.</param>
/// <param name="High">The upper bound; null for none.</param>
/// <param name="IncludeLow">Whether the lower bound itself is within.</param>
/// <param name="IncludeHigh">Whether the upper bound itself is within.</param>
public sealed record TermRangeQuery(
    string Field,
    ReadOnlyMemory<byte>? Low,
    ReadOnlyMemory<byte>? High,
    bool IncludeLow = true,
    bool IncludeHigh = true
) : Query;
