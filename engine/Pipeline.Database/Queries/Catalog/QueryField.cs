using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Indexing;
using Pipeline.Indexing.Analysis;

namespace Pipeline.Database.Queries.Catalog;

/// <summary>A field of an index, as queries see it.</summary>
/// <param name="Name">Its name in the index.</param>
/// <param name="Options">How its values are indexed.</param>
public sealed record QueryField(string Name, FieldOptions Options)
{
    /// <summary>The analyzer of its texts if it is <see cref="TermForm.Search"/>, otherwise null.</summary>
    public Analyzer? Analyzer { get; init; }

    /// <summary>Whether its values are in the entry's stored object, under its name.</summary>
    public bool IsStored { get; init; }

    /// <summary>The factor for its scores, from its definition.</summary>
    public float Boost { get; init; } = 1;

    /// <summary>How its values are compared for sorting if the query does not specify it.</summary>
    public OrderType Order { get; init; } = OrderType.Unspecified;
}
