namespace Pipeline.Indexing;

/// <summary>
/// The points within a ring and not within its holes; rims belong to it. Edges are straight in latitude and longitude,
/// as in WKT.
/// </summary>
public sealed record GeoPolygon : Shape
{
    private readonly GeoRing[] _holes;

    /// <summary>Makes a polygon.</summary>
    /// <param name="outer">Its outer ring.</param>
    /// <param name="holes">Rings of the holes.</param>
    public GeoPolygon(GeoRing outer, params IReadOnlyList<GeoRing> holes)
    {
        Outer = outer;
        _holes = [.. holes];
        var wide = outer.East - outer.West >= 360;
        Bounds = new GeoRectangle(
            outer.South,
            wide ? -180 : Wrap(outer.West),
            outer.North,
            wide ? 180 : Wrap(outer.East)
        );
    }

    /// <summary>The outer ring.</summary>
    public GeoRing Outer { get; }

    /// <summary>The removed part.</summary>
    public IReadOnlyList<GeoRing> Holes => _holes;

    /// <inheritdoc/>
    public override GeoRectangle Bounds { get; }

    /// <inheritdoc/>
    public override bool Contains(double latitude, double longitude)
    {
        for (var shift = -360; shift <= 360; shift += 360)
        {
            if (Outer.Side(latitude, longitude + shift) >= 0 && !InHole(latitude, longitude))
                return true;
        }

        return false;
    }

    /// <inheritdoc/>
    public override Overlap Relate(double south, double west, double north, double east)
    {
        for (var shift = -360; shift <= 360; shift += 360)
        {
            if (Outer.EdgesTouch(south, west + shift, north, east + shift))
                return Overlap.Partial;
            foreach (var hole in _holes)
            {
                if (hole.EdgesTouch(south, west + shift, north, east + shift))
                    return Overlap.Partial;
            }
        }

        return Contains(south, west) ? Overlap.Whole : Overlap.None;
    }

    private bool InHole(double latitude, double longitude)
    {
        foreach (var hole in _holes)
        {
            for (var shift = -360; shift <= 360; shift += 360)
            {
                if (hole.Side(latitude, longitude + shift) > 0)
                    return true;
            }
        }

        return false;
    }

    private static double Wrap(double longitude) =>
        longitude < -180 ? longitude + 360
        : longitude > 180 ? longitude - 360
        : longitude;
}
