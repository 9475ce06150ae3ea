using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Indexing;

namespace Pipeline.Database.Indexes;

/// <summary>How one field of an index is indexed; unset options have their defaults.</summary>
public sealed record IndexFieldDefinition
{
    /// <summary>The name under which options for all fields are given; the options of a field replace them.</summary>
    public const string AllFields = "__all_fields";

    /// <summary>How strings are indexed.</summary>
    public TermForm? Indexing { get; init; }

    /// <summary>The analyzer's name, for <see cref="TermForm.Search"/>; naming one asks for that.</summary>
    public string? Analyzer { get; init; }

    /// <summary>Whether the field's values are stored in the index and returned by projections.</summary>
    public bool Stored { get; init; }

    /// <summary>
    /// The factor for scores of this field; finite, 0 or more. Null: 1. A map's <c>.Boost(x)</c> also multiplies.
    /// </summary>
    public float? Boost { get; init; }

    /// <summary>
    /// How the field's values are compared if a query does not specify it: <c>order by Total</c>. Null: as texts,
    /// numbers as numbers.
    /// </summary>
    public OrderType? Sort { get; init; }

    /// <summary>
    /// Whether clients ask for suggestions from the field. Its terms need no preparation for them; kept for clients.
    /// </summary>
    public bool Suggestions { get; init; }

    /// <summary>The term vectors that clients have asked for; stored for clients only.</summary>
    public string? TermVector { get; init; }

    /// <summary>The options that determine the entries.</summary>
    internal IndexFieldDefinition OfEntries =>
        this with
        {
            Boost = null,
            Sort = null,
            Suggestions = false,
            TermVector = null,
        };
}
