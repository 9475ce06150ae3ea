using Pipeline.Database.Queries.Binding;
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

/// <summary>The order of a facet's values.</summary>
internal enum FacetSort
{
    ValueAsc,
    ValueDesc,
    CountAsc,
    CountDesc,
}

/// <summary>
/// Which values of a facet are returned, and in which order. The names are those of RavenDB's clients.
/// </summary>
internal sealed record FacetPaging(FacetSort Sort, int Start, int PageSize, bool IncludeRemainingTerms)
{
    internal static FacetPaging Default { get; } = new(FacetSort.ValueAsc, 0, int.MaxValue, false);

    internal static FacetPaging Read(JsonOptions json)
    {
        var options = new FacetPaging(
            json.Choice<FacetSort>("TermSortMode") ?? Default.Sort,
            json.Count("Start") ?? 0,
            json.Count("PageSize") ?? int.MaxValue,
            json.Flag("IncludeRemainingTerms") ?? false
        );
        json.CheckAllKnown();
        return options;
    }
}

/// <summary>A value or range with its count and the aggregates of other fields' numbers.</summary>
internal readonly record struct FacetCount(string Range, long Count, IReadOnlyList<FacetAggregate> Aggregates);
