namespace Pipeline.Indexing;

/// <summary>The points within a distance of another, by great circles.</summary>
public sealed record GeoCircle : Shape
{
    private const double QuarterMeters = HaversineDistance.EarthRadiusMeters * Math.PI / 2;

    private readonly HaversineDistance _distance;
    private readonly double _limit;

    /// <summary>Makes a circle.</summary>
    /// <param name="latitude">The centre's latitude, -90 to 90.</param>
    /// <param name="longitude">The centre's longitude, -180 to 180.</param>
    /// <param name="radiusMeters">The radius in metres, 0 or more.</param>
    /// <exception cref="ArgumentOutOfRangeException">A value is out of its range or not a number.</exception>
    public GeoCircle(double latitude, double longitude, double radiusMeters)
    {
        if (!(latitude is >= -90 and <= 90))
            throw new ArgumentOutOfRangeException(nameof(latitude), latitude, "A latitude is between -90 and 90.");
        if (!(longitude is >= -180 and <= 180))
            throw new ArgumentOutOfRangeException(nameof(longitude), longitude, "A longitude is between -180 and 180.");
        if (!(radiusMeters >= 0))
            throw new ArgumentOutOfRangeException(nameof(radiusMeters), radiusMeters, "A radius is 0 or more.");
        (Latitude, Longitude, RadiusMeters) = (latitude, longitude, radiusMeters);
        _distance = new HaversineDistance(latitude, longitude);
        _limit = HaversineDistance.SortKeyOf(radiusMeters);
        Bounds = Box(latitude, longitude, radiusMeters);
    }

    /// <summary>The centre's latitude, in degrees.</summary>
    public double Latitude { get; }

    /// <summary>The centre's longitude, in degrees.</summary>
    public double Longitude { get; }

    /// <summary>The radius in metres.</summary>
    public double RadiusMeters { get; }

    /// <inheritdoc/>
    public override GeoRectangle Bounds { get; }

    /// <inheritdoc/>
    public override bool Contains(double latitude, double longitude) =>
        _distance.SortKey(latitude, longitude) <= _limit;

    /// <inheritdoc/>
    public override Overlap Relate(double south, double west, double north, double east)
    {
        if (Bounds.Relate(south, west, north, east) == Overlap.None)
            return Overlap.None;
        // A circle below half the earth holds the meridian between two points of it; along a parallel the distance
        // rises up to the opposite meridian.
        var opposite = Longitude <= 0 ? Longitude + 180 : Longitude - 180;
        if (
            RadiusMeters < QuarterMeters
            && !(opposite > west && opposite < east)
            && Contains(south, west)
            && Contains(south, east)
            && Contains(north, west)
            && Contains(north, east)
        )
        {
            return Overlap.Whole;
        }

        var nearest = Math.Clamp(Latitude, south, north);
        return Longitude >= west && Longitude <= east && !Contains(nearest, Longitude) ? Overlap.None : Overlap.Partial;
    }

    // The angle in longitude that a circle reaches is greatest where its rim touches a meridian; at a pole it is all of
    // them.
    private static GeoRectangle Box(double latitude, double longitude, double radius)
    {
        const double Slack = 1e-9;
        var angle = radius / HaversineDistance.EarthRadiusMeters;
        var (south, north) = (
            latitude - double.RadiansToDegrees(angle) - Slack,
            latitude + double.RadiansToDegrees(angle) + Slack
        );
        if (south <= -90 || north >= 90)
            return new GeoRectangle(Math.Max(south, -90), -180, Math.Min(north, 90), 180);
        var reach =
            double.RadiansToDegrees(
                Math.Asin(Math.Min(1, Math.Sin(angle) / Math.Cos(double.DegreesToRadians(latitude))))
            ) + Slack;
        var (west, east) = (longitude - reach, longitude + reach);
        if (west < -180)
            west += 360;
        if (east > 180)
            east -= 360;
        return new GeoRectangle(south, west, north, east);
    }
}
