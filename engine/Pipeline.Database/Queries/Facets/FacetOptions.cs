using Pipeline.Database.Queries.Binding;

namespace Pipeline.Database.Queries.Facets;

/// <summary>
/// Which values of a facet are returned, and in which order. The names are those of RavenDB's clients.
/// </summary>
internal sealed record FacetOptions(FacetSort Sort, int Start, int PageSize, bool IncludeRemainingTerms)
{
    internal static FacetOptions Default { get; } = new(FacetSort.ValueAsc, 0, int.MaxValue, false);

    internal static FacetOptions Read(JsonOptions json)
    {
        var options = new FacetOptions(
            json.Choice<FacetSort>("TermSortMode") ?? Default.Sort,
            json.Count("Start") ?? 0,
            json.Count("PageSize") ?? int.MaxValue,
            json.Flag("IncludeRemainingTerms") ?? false
        );
        json.CheckAllKnown();
        return options;
    }
}
