namespace Pipeline.Database.Queries.Demands;

/// <summary>A field that a query needs in an index.</summary>
/// <param name="Path">
/// The path in the document without alias (<c>ShipTo.City</c>, <c>Lines[].Product</c>), an aggregate (<c>count()</c>, <c>sum(Freight)</c>), or of a spatial
/// field that the query makes of others its canonical text (<c>spatial.point(Lat, Lon)</c>).
/// </param>
/// <param name="Usage">For what it is used.</param>
public sealed record FieldDemand(string Path, FieldUsage Usage)
{
    /// <summary>What the place is made of; null for a field that exists by its name.</summary>
    public SpatialSource? Spatial { get; init; }
}
