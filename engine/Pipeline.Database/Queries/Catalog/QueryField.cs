using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Indexing;
using Pipeline.Indexing.Analysis;

namespace Pipeline.Database.Queries.Catalog;

/// <summary>A field of an index, as queries see it.</summary>
/// <param name="Name">Its name in the index.</param>
/// <param name="Options">How its values are indexed.</param>
public sealed record QueryField(string Name, FieldOptions Options)
{
    /// <summary>What makes terms of its texts; of a field that is <see cref="FieldIndexing.Search"/>, else null.</summary>
    public Analyzer? Analyzer { get; init; }

    /// <summary>Whether its values are in the entry's stored object, under its name.</summary>
    public bool IsStored { get; init; }

    /// <summary>What scores by it are multiplied by, as its definition says.</summary>
    public float Boost { get; init; } = 1;

    /// <summary>As what results are ordered by it where the query does not say.</summary>
    public OrderType Order { get; init; } = OrderType.Unspecified;
}
