using Pipeline.Indexing;

namespace Pipeline.Database.Indexes;

/// <summary>How one field of an index is indexed; what is not set is as for every field.</summary>
public sealed record IndexFieldDefinition
{
    /// <summary>The name under which options for all fields are given; a field's own come before them.</summary>
    public const string AllFields = "__all_fields";

    /// <summary>What strings become.</summary>
    public FieldIndexing? Indexing { get; init; }

    /// <summary>The analyzer's name, for <see cref="FieldIndexing.Search"/>; naming one asks for that.</summary>
    public string? Analyzer { get; init; }

    /// <summary>Whether the field's values are stored in the index and given back by projections.</summary>
    public bool Stored { get; init; }

    /// <summary>Whether suggestions are asked of it. Terms serve for them as they are; kept for clients.</summary>
    public bool Suggestions { get; init; }

    /// <summary>What clients have asked to keep of its terms; kept for them.</summary>
    public string? TermVector { get; init; }
}
