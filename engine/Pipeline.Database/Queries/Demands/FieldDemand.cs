namespace Pipeline.Database.Queries.Demands;

/// <summary>A field that a query needs in an index.</summary>
/// <param name="Path">
/// The path in the document without alias (<c>ShipTo.City</c>, <c>Lines[].Product</c>) or an aggregate (<c>count()</c>,
/// <c>sum(Freight)</c>). For a spatial field that the query makes from other fields, its canonical text
/// (<c>spatial.point(Lat, Lon)</c>).
/// </param>
/// <param name="Usage">How the query uses the field.</param>
public sealed record FieldDemand(string Path, FieldUsage Usage)
{
    /// <summary>The source of the place; null for a field that exists under its name.</summary>
    public SpatialSource? Spatial { get; init; }
}
