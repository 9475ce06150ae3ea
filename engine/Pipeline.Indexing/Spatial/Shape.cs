namespace Pipeline.Indexing;

/// <summary>An area on the earth, of latitudes and longitudes in degrees. Immutable and thread-safe.</summary>
public abstract record Shape
{
    private protected Shape() { }

    /// <summary>A rectangle that contains the shape; the smaller it is, the fewer points are checked.</summary>
    public abstract GeoRectangle Bounds { get; }

    /// <summary>Whether a point lies in the shape or on its rim.</summary>
    /// <param name="latitude">The point's latitude, -90 to 90.</param>
    /// <param name="longitude">The point's longitude, -180 to 180.</param>
    /// <returns>Whether it does.</returns>
    public abstract bool Contains(double latitude, double longitude);

    /// <summary>
    /// Relates the shape to a rectangle that does not cross the 180th meridian. It may say
    /// <see cref="Overlap.Partial"/> if it is not certain.
    /// </summary>
    /// <param name="south">The rectangle's least latitude.</param>
    /// <param name="west">The rectangle's least longitude.</param>
    /// <param name="north">The rectangle's greatest latitude.</param>
    /// <param name="east">The rectangle's greatest longitude.</param>
    /// <returns>How it lies.</returns>
    public abstract Overlap Relate(double south, double west, double north, double east);
}

/// <summary>How much of a rectangle a shape holds.</summary>
public enum Overlap
{
    /// <summary>None of it.</summary>
    None,

    /// <summary>Some of it, or it is not certain.</summary>
    Partial,

    /// <summary>All of it.</summary>
    Whole,
}
