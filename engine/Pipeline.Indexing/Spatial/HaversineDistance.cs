namespace Pipeline.Indexing;

/// <summary>
/// Distances from one point, by the haversine formula on a sphere of the earth's mean radius. A sort key is cheap and
/// rises with the distance.
/// </summary>
public readonly struct HaversineDistance : IEquatable<HaversineDistance>
{
    /// <summary>The earth's mean radius in metres (IUGG).</summary>
    public const double EarthRadiusMeters = 6_371_008.7714;

    private readonly double _latitude,
        _longitude,
        _cosine;

    /// <summary>Distances from a point.</summary>
    /// <param name="latitude">Its latitude, in degrees.</param>
    /// <param name="longitude">Its longitude, in degrees.</param>
    public HaversineDistance(double latitude, double longitude)
    {
        _latitude = double.DegreesToRadians(latitude);
        _longitude = longitude;
        _cosine = Math.Cos(_latitude);
    }

    /// <summary>The haversine of the angle to a point: the squared sine of its half, between 0 and 1.</summary>
    /// <param name="latitude">The point's latitude, in degrees.</param>
    /// <param name="longitude">The point's longitude, in degrees.</param>
    /// <returns>A number that rises with the distance.</returns>
    public double SortKey(double latitude, double longitude)
    {
        var other = double.DegreesToRadians(latitude);
        var x = Math.Sin((other - _latitude) / 2);
        var y = Math.Sin(double.DegreesToRadians(longitude - _longitude) / 2);
        return x * x + _cosine * Math.Cos(other) * y * y;
    }

    /// <summary>The distance to a point, in metres.</summary>
    /// <param name="latitude">The point's latitude, in degrees.</param>
    /// <param name="longitude">The point's longitude, in degrees.</param>
    /// <returns>The distance in metres.</returns>
    public double Meters(double latitude, double longitude) => MetersOf(SortKey(latitude, longitude));

    /// <summary>The distance that a sort key stands for.</summary>
    /// <param name="sortKey">The key.</param>
    /// <returns>The distance in metres.</returns>
    public static double MetersOf(double sortKey) => 2 * EarthRadiusMeters * Math.Asin(Math.Min(1, Math.Sqrt(sortKey)));

    /// <summary>The sort key of a distance.</summary>
    /// <param name="meters">The distance in metres.</param>
    /// <returns>The key; more than any point's where the distance is more than half around the earth.</returns>
    public static double SortKeyOf(double meters)
    {
        var half = meters / (2 * EarthRadiusMeters);
        if (half >= Math.PI / 2)
            return 2;
        var sine = Math.Sin(half);
        return sine * sine;
    }

    /// <inheritdoc/>
    public bool Equals(HaversineDistance other) => _latitude == other._latitude && _longitude == other._longitude;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is HaversineDistance other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(_latitude, _longitude);

    /// <summary>Whether both measure from the same point.</summary>
    public static bool operator ==(HaversineDistance left, HaversineDistance right) => left.Equals(right);

    /// <summary>Whether they measure from different points.</summary>
    public static bool operator !=(HaversineDistance left, HaversineDistance right) => !left.Equals(right);
}
