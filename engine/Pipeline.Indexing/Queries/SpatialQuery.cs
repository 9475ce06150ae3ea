namespace Pipeline.Indexing;

/// <summary>Entries with a point that lies to a shape as is asked, with the score 1.</summary>
/// <param name="Field">The field's name.</param>
/// <param name="Shape">The shape.</param>
/// <param name="Relation">How the point must lie.</param>
public sealed record SpatialQuery(string Field, Shape Shape, SpatialRelation Relation = SpatialRelation.Within) : Query;

/// <summary>How an entry's point must lie to a shape.</summary>
public enum SpatialRelation
{
    /// <summary>In the shape or on its rim.</summary>
    Within,

    /// <summary>For points the same as <see cref="Within"/>.</summary>
    Intersects,

    /// <summary>Outside: the entry has a point in the field, and none of them lies in the shape.</summary>
    Disjoint,
}
