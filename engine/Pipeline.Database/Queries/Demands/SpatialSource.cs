namespace Pipeline.Database.Queries.Demands;

/// <summary>The source of a spatial field's place: two paths, or one path to a text in WKT.</summary>
/// <param name="LatitudePath">The path to the latitude; null if <paramref name="WktPath"/> is given.</param>
/// <param name="LongitudePath">The path to the longitude; null if <paramref name="WktPath"/> is given.</param>
/// <param name="WktPath">The path to the text; null if the other two are given.</param>
public sealed record SpatialSource(string? LatitudePath, string? LongitudePath, string? WktPath);
