namespace Pipeline.Database.Queries.Facets;

/// <summary>The order of a facet's values.</summary>
internal enum FacetSort
{
    ValueAsc,
    ValueDesc,
    CountAsc,
    CountDesc,
}
