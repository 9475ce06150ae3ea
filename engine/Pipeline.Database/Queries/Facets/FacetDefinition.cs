using Pipeline.Database.Queries.Catalog;
using Pipeline.Indexing;

namespace Pipeline.Database.Queries.Facets;

/// <summary>One facet of a query, bound to its index.</summary>
/// <param name="Name">Its name in the result.</param>
/// <param name="Field">The field whose values are counted; null if the index does not have it yet.</param>
/// <param name="Ranges">The ranges; empty to count each value.</param>
/// <param name="Aggregates">
/// The fields whose numbers are aggregated: the name in the query, the name in the index, and the requested functions.
/// </param>
/// <param name="Options">Which values to return.</param>
internal sealed record FacetDefinition(
    string Name,
    QueryField? Field,
    IReadOnlyList<(string Text, Query Query)> Ranges,
    IReadOnlyList<(string Name, string Field, HashSet<string> Functions)> Aggregates,
    FacetPaging Options
);
