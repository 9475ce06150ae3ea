namespace Pipeline.Indexing;

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
