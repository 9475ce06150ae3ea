namespace Pipeline.Database.Queries.Demands;

/// <summary>Where the place of a spatial field comes from: two paths, or one to a text in WKT.</summary>
/// <param name="LatitudePath">The path to the latitude; null where there is <paramref name="WktPath"/>.</param>
/// <param name="LongitudePath">The path to the longitude; null where there is <paramref name="WktPath"/>.</param>
/// <param name="WktPath">The path to the text; null where there are the others.</param>
public sealed record SpatialSource(string? LatitudePath, string? LongitudePath, string? WktPath);
