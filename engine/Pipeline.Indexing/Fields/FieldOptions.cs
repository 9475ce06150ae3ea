namespace Pipeline.Indexing;

/// <summary>How a field's values are indexed.</summary>
public sealed record FieldOptions
{
    /// <summary>The whole value, lower-cased, as one term.</summary>
    public static FieldOptions Default { get; } = new();

    /// <summary>What strings become.</summary>
    public FieldIndexing Indexing { get; init; } = FieldIndexing.Default;

    /// <summary>Whether the positions of tokens are kept, for phrases and proximity; only of <see cref="FieldIndexing.Search"/> fields.</summary>
    public bool Positions { get; init; } = true;
}
