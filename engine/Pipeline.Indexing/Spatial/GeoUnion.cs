namespace Pipeline.Indexing;

/// <summary>The points that lie in at least one of several shapes (a multi-polygon).</summary>
public sealed record GeoUnion : Shape
{
    private readonly Shape[] _shapes;

    /// <summary>Puts shapes together.</summary>
    /// <param name="shapes">The shapes, at least one.</param>
    public GeoUnion(params IReadOnlyList<Shape> shapes)
    {
        if (shapes.Count == 0)
            throw new ArgumentException("A union has at least one shape.", nameof(shapes));
        _shapes = [.. shapes];
        var bounds = _shapes.Select(s => s.Bounds).ToArray();
        var world = bounds.Any(b => b.CrossesDateline);
        Bounds = new GeoRectangle(
            bounds.Min(b => b.South),
            world ? -180 : bounds.Min(b => b.West),
            bounds.Max(b => b.North),
            world ? 180 : bounds.Max(b => b.East)
        );
    }

    /// <summary>The shapes.</summary>
    public IReadOnlyList<Shape> Shapes => _shapes;

    /// <inheritdoc/>
    public override GeoRectangle Bounds { get; }

    /// <inheritdoc/>
    public override bool Contains(double latitude, double longitude)
    {
        foreach (var shape in _shapes)
        {
            if (shape.Contains(latitude, longitude))
                return true;
        }

        return false;
    }

    /// <inheritdoc/>
    public override Overlap Relate(double south, double west, double north, double east)
    {
        var most = Overlap.None;
        foreach (var shape in _shapes)
        {
            var overlap = shape.Relate(south, west, north, east);
            if (overlap == Overlap.Whole)
                return Overlap.Whole;
            if (overlap > most)
                most = overlap;
        }

        return most;
    }
}
