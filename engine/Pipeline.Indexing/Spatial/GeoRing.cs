namespace Pipeline.Indexing;

/// <summary>
/// A closed line of straight edges in the plane of latitude and longitude. Longitudes may go beyond ±180 where it
/// crosses the 180th meridian. Immutable and thread-safe.
/// </summary>
public sealed class GeoRing
{
    private readonly double[] _latitudes,
        _longitudes;

    /// <summary>Makes a ring.</summary>
    /// <param name="points">
    /// Latitude and longitude of its corners in order, in degrees; the last may repeat the first; at least three.
    /// </param>
    /// <exception cref="ArgumentException">
    /// There are fewer than three corners, or one is not a finite number or off the earth.
    /// </exception>
    public GeoRing(IReadOnlyList<(double Latitude, double Longitude)> points)
    {
        var count = points.Count > 1 && points[0] == points[^1] ? points.Count - 1 : points.Count;
        if (count < 3)
            throw new ArgumentException($"A ring has at least three corners, this one has {count}.", nameof(points));
        (_latitudes, _longitudes) = (new double[count], new double[count]);
        for (var i = 0; i < count; i++)
        {
            var (latitude, longitude) = points[i];
            if (!(latitude is >= -90 and <= 90 && longitude is >= -540 and <= 540))
            {
                throw new ArgumentException(
                    $"Corner {i} of the ring ({latitude}, {longitude}) is not on the earth.",
                    nameof(points)
                );
            }

            (_latitudes[i], _longitudes[i]) = (latitude, longitude);
        }

        (South, North, West, East) = (_latitudes.Min(), _latitudes.Max(), _longitudes.Min(), _longitudes.Max());
    }

    /// <summary>The least latitude.</summary>
    public double South { get; }

    /// <summary>The greatest latitude.</summary>
    public double North { get; }

    /// <summary>The least longitude, perhaps below -180.</summary>
    public double West { get; }

    /// <summary>The greatest longitude, perhaps above 180.</summary>
    public double East { get; }

    /// <summary>
    /// Whether a point lies within the ring (by the even-odd rule) or on it; -1 outside, 0 on it, 1 within.
    /// </summary>
    internal int Side(double latitude, double longitude)
    {
        if (latitude < South || latitude > North || longitude < West || longitude > East)
            return -1;
        var inside = false;
        for (int i = 0, j = _latitudes.Length - 1; i < _latitudes.Length; j = i++)
        {
            double y1 = _latitudes[i],
                x1 = _longitudes[i],
                y2 = _latitudes[j],
                x2 = _longitudes[j];
            var cross = (x2 - x1) * (latitude - y1) - (y2 - y1) * (longitude - x1);
            if (
                cross == 0
                && latitude >= Math.Min(y1, y2)
                && latitude <= Math.Max(y1, y2)
                && longitude >= Math.Min(x1, x2)
                && longitude <= Math.Max(x1, x2)
            )
            {
                return 0;
            }

            if (y1 > latitude != y2 > latitude && longitude < (x2 - x1) * (latitude - y1) / (y2 - y1) + x1)
                inside = !inside;
        }

        return inside ? 1 : -1;
    }

    /// <summary>Whether one of the ring's edges may touch a rectangle: false is certain.</summary>
    internal bool EdgesTouch(double south, double west, double north, double east)
    {
        if (east < West || west > East || north < South || south > North)
            return false;
        for (int i = 0, j = _latitudes.Length - 1; i < _latitudes.Length; j = i++)
        {
            double y1 = _latitudes[i],
                x1 = _longitudes[i],
                y2 = _latitudes[j],
                x2 = _longitudes[j];
            if (
                Math.Max(y1, y2) < south
                || Math.Min(y1, y2) > north
                || Math.Max(x1, x2) < west
                || Math.Min(x1, x2) > east
            )
            {
                continue;
            }

            var a = Cross(south, west);
            var b = Cross(south, east);
            var c = Cross(north, west);
            var d = Cross(north, east);
            if (!(a > 0 && b > 0 && c > 0 && d > 0) && !(a < 0 && b < 0 && c < 0 && d < 0))
                return true;

            double Cross(double latitude, double longitude) =>
                (x2 - x1) * (latitude - y1) - (y2 - y1) * (longitude - x1);
        }

        return false;
    }
}
