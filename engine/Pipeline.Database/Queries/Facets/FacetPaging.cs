using Pipeline.Database.Queries.Binding;

namespace Pipeline.Database.Queries.Facets;

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
