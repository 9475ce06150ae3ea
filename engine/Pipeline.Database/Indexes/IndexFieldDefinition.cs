using Pipeline.Database.Queries.Language.Syntax;
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

    /// <summary>What scores by this field are multiplied by; finite, 0 or more. Nothing: 1. A map's own <c>.Boost(x)</c> multiplies beside it.</summary>
    public float? Boost { get; init; }

    /// <summary>As what results are ordered by the field where a query does not say: <c>order by Total</c>. Nothing: as texts, numbers as numbers.</summary>
    public OrderType? Sort { get; init; }

    /// <summary>Whether suggestions are asked of it. Terms serve for them as they are; kept for clients.</summary>
    public bool Suggestions { get; init; }

    /// <summary>What clients have asked to keep of its terms; kept for them.</summary>
    public string? TermVector { get; init; }

    /// <summary>The options that entries follow from.</summary>
    internal IndexFieldDefinition OfEntries => this with { Boost = null, Sort = null, Suggestions = false, TermVector = null };
}
