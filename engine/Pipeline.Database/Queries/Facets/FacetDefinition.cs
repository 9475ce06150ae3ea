using Pipeline.Database.Queries.Catalog;
using Pipeline.Indexing;

namespace Pipeline.Database.Queries.Facets;

/// <summary>One facet of a query, bound to its index.</summary>
/// <param name="Name">What it is called in the result.</param>
/// <param name="Field">The field whose values are counted; null where the index has none yet.</param>
/// <param name="Ranges">The ranges; empty to count each value.</param>
/// <param name="Aggregates">The fields whose numbers are added up: how the query names each, its name in the index, and what is asked of it.</param>
/// <param name="Options">Which values are given.</param>
internal sealed record FacetDefinition(
    string Name, QueryField? Field, IReadOnlyList<(string Text, Query Query)> Ranges, IReadOnlyList<(string Name, string Field, HashSet<string> Functions)> Aggregates, FacetOptions Options);
