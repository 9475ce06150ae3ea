namespace Pipeline.Indexing;

/// <summary>Entries with a point that lies to a shape as is asked, with the score 1.</summary>
/// <param name="Field">The field's name.</param>
/// <param name="Shape">The shape.</param>
/// <param name="Relation">How the point must lie.</param>
public sealed record SpatialQuery(string Field, Shape Shape, SpatialRelation Relation = SpatialRelation.Within) : Query;
