namespace Pipeline.Indexing;

/// <summary>
/// The points between two latitudes and two longitudes, rim included. Where <see cref="West"/> is greater than
/// <see cref="East"/>, it crosses the 180th meridian.
/// </summary>
/// <param name="South">The least latitude, in degrees.</param>
/// <param name="West">The western longitude, in degrees.</param>
/// <param name="North">The greatest latitude, in degrees.</param>
/// <param name="East">The eastern longitude, in degrees.</param>
public sealed record GeoRectangle(double South, double West, double North, double East) : Shape
{
    /// <summary>The whole earth.</summary>
    public static GeoRectangle World { get; } = new(-90, -180, 90, 180);

    /// <summary>Whether it crosses the 180th meridian.</summary>
    public bool CrossesDateline => West > East;

    /// <inheritdoc/>
    public override GeoRectangle Bounds => this;

    /// <inheritdoc/>
    public override bool Contains(double latitude, double longitude) =>
        latitude >= South
        && latitude <= North
        && (CrossesDateline ? longitude >= West || longitude <= East : longitude >= West && longitude <= East);

    /// <inheritdoc/>
    public override Overlap Relate(double south, double west, double north, double east)
    {
        if (north < South || south > North)
            return Overlap.None;
        if (!CrossesDateline)
            return Span(south, west, north, east, West, East);
        var left = Span(south, west, north, east, -180, East);
        return left != Overlap.None ? left : Span(south, west, north, east, West, 180);
    }

    /// <inheritdoc/>
    public override string ToString() =>
        string.Create(System.Globalization.CultureInfo.InvariantCulture, $"rectangle {South} {West} {North} {East}");

    private Overlap Span(double south, double west, double north, double east, double from, double to)
    {
        if (east < from || west > to)
            return Overlap.None;
        return south >= South && north <= North && west >= from && east <= to ? Overlap.Whole : Overlap.Partial;
    }
}
